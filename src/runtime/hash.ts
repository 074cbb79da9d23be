/** A short hash of a text (FNV-1a), which tells it from others, but not from those that somebody made on purpose. */
export function hash(text: string): string {
  let hash = 0x811c9dc5
  for (const letter of text) hash = Math.imul(hash ^ letter.codePointAt(0)!, 0x01000193) >>> 0
  return hash.toString(36)
}
