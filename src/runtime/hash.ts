/**
 * A short hash of a value, by its JSON (FNV-1a), which tells it from others, but not from those that somebody made on
 * purpose. `undefined` where JSON cannot hold the value.
 */
export function hash(value: unknown): string | undefined {
  let result = 0x811c9dc5
  try {
    const json =
      JSON.stringify(value, (_, inner) => (typeof inner === 'bigint' ? String(inner) : inner)) ?? String(value)
    for (const letter of json) result = Math.imul(result ^ letter.codePointAt(0)!, 0x01000193) >>> 0
  } catch {
    return undefined
  }
  return result.toString(36)
}
