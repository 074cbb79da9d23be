/**
 * Checks of path segments. They cover every way in which servers read them: some unescape once, some twice, some
 * leniently. Control characters are written as ranges, because older engines of React Native do not support `\p{Cc}`.
 */

/** The maximum levels of escapes. A text with more is rejected as an attack. */
const MAX_READINGS = 8

/**
 * Returns whether a name, escaped or not, is a single path segment for every server: it contains no `/`, `\` or control
 * character, and is not `.` or `..`, in any escaped form.
 */
export function isPathSegment(name: string): boolean {
  return (
    name !== '' && isTrueForEveryReading(name, (reading) => !/[/\\\0-\x1f\x7f-\x9f]/.test(reading) && !isDots(reading))
  )
}

/** Returns whether a path has no `.` or `..` segment, in any escaped form. */
export function hasNoDotSegments(path: string): boolean {
  return isTrueForEveryReading(path, (reading) => !reading.split(/[/\\]/).some(isDots))
}

/**
 * Returns whether some server reads a segment as `.` or `..`. Java servers ignore everything after `;`, C servers
 * everything after a null byte, Windows trailing spaces, and URL parsers tabs and line breaks.
 */
const isDots = (segment: string): boolean =>
  /^[\0-\x1f\x7f-\x9f]*\.[\0-\x1f\x7f-\x9f]*\.? *([;\0-\x1f\x7f-\x9f]|$)/.test(segment)

/** Returns whether a text passes a check, both unchanged and after each level of unescaping. */
function isTrueForEveryReading(text: string, passes: (reading: string) => boolean): boolean {
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
