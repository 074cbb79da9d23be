/** Whether a text is a URL. Not every runtime has `URL.canParse` (React Native). */
export function canParseUrl(text: string, base?: string): boolean {
  try {
    new URL(text, base)
    return true
  } catch {
    return false
  }
}
