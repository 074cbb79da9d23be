/**
 * Checks for path segments, for every way in which servers read them: some unescape once, some twice, some leniently.
 * Control characters are written as ranges, because older engines of React Native do not support `\p{Cc}`.
 */

/** The number of times that a text is unescaped. More levels of escapes are rejected as an attack. */
const MAX_READINGS = 8

/**
 * Returns true if a name, escaped or not, is a single path segment to every server: it contains no `/`, `\` or control
 * character, and is not `.` or `..`, in any escaped form.
 */
export function isPathSegment(name: string): boolean {
  return name !== '' && everyReading(name, (reading) => !/[/\\\0-\x1f\x7f-\x9f]/.test(reading) && !isDots(reading))
}

/** Returns true if a path has no `.` or `..` segment, in any escaped form. */
export function neverClimbs(path: string): boolean {
  return everyReading(path, (reading) => !reading.split(/[/\\]/).some(isDots))
}

/**
 * Java servers drop everything after `;`, C servers everything after a null byte, Windows spaces at the end, URL
 * parsers tabs and line breaks.
 */
const isDots = (segment: string): boolean =>
  /^[\0-\x1f\x7f-\x9f]*\.[\0-\x1f\x7f-\x9f]*\.? *([;\0-\x1f\x7f-\x9f]|$)/.test(segment)

/** Returns true if a text passes a check as it is, and after each time it is unescaped. */
function everyReading(text: string, passes: (reading: string) => boolean): boolean {
  let reading = text
  for (let readings = 0; readings < MAX_READINGS; readings++) {
    if (!passes(reading)) return false
    const next = unescapeAscii(reading)
    if (next === reading) return true
    reading = next
  }
  return false
}

/** Unescapes like a lenient server: keeps invalid escapes, such as the `%` of `100%`. */
function unescapeAscii(text: string): string {
  return text.replace(/%([0-7][\da-f])/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
}
