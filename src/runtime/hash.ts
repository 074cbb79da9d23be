/**
 * A short hash of the JSON of a value (FNV-1a). It is not safe against deliberate collisions. `undefined` if the value has
 * no JSON.
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
