/**
 * A short hash of a value, by its JSON (FNV-1a), which tells it from others, but not from those that somebody made on
 * purpose. `undefined` where JSON cannot hold the value.
 */
export function hash(value: unknown): string | undefined {
  let json: string
  try {
    json = JSON.stringify(value, (_, inner) => (typeof inner === 'bigint' ? String(inner) : inner)) ?? String(value)
  } catch {
    return undefined
  }
  let result = 0x811c9dc5
  for (const letter of json) result = Math.imul(result ^ letter.codePointAt(0)!, 0x01000193) >>> 0
  return result.toString(36)
}
