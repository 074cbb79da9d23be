/** Formats a value as the text of a cell. */
export function formatCell(value: unknown): string {
  if (value === undefined || value === null || (Array.isArray(value) && value.length === 0)) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
