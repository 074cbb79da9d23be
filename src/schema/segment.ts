/**
 * Names that stand in a path, as any server may read them: one unescapes once, another twice, a third as it likes. Control
 * characters are spelled as ranges, because older engines of React Native know no `\p{Cc}`.
 */

/** How many times a text is read. One that has still more escapes in it is made to deceive. */
const MAX_READINGS = 8

/**
 * Whether a name, escaped or not, stays one segment of a path for every server: it has no `/`, `\` or control character,
 * and is no `.` or `..`, however these are spelled.
 */
export function isPathSegment(name: string): boolean {
  return name !== '' && everyReading(name, (reading) => !/[/\\\0-\x1f\x7f-\x9f]/.test(reading) && !isDots(reading))
}

/** Whether a path has no segment that is `.` or `..`, however these are spelled. */
export function neverClimbs(path: string): boolean {
  return everyReading(path, (reading) => !reading.split(/[/\\]/).some(isDots))
}

/** Servers in Java drop what stands behind `;`, those in C what stands behind a null byte, and parsers of URLs tabs and lines. */
const isDots = (segment: string): boolean =>
  /^[\0-\x1f\x7f-\x9f]*\.[\0-\x1f\x7f-\x9f]*\.?([;\0-\x1f\x7f-\x9f]|$)/.test(segment)

/** Whether a text passes as it is, and each time that it was unescaped once more. */
function everyReading(text: string, passes: (reading: string) => boolean): boolean {
  let reading = text
  for (let readings = 0; readings < MAX_READINGS; readings++) {
    if (overlong.test(reading) || !passes(reading)) return false
    const next = unescapeAscii(reading)
    if (next === reading) return true
    reading = next
  }
  return false
}

/** More bytes than a character needs, which is no UTF-8: some servers read `%c0%ae` as a dot all the same. */
const overlong = /%(c[01]%[\da-f]{2}|e0%[89]|f[08]%8|fc%8)/i

/** Leaves what is no escape, such as the `%` of `100%`, as a lenient server does. `%u002f` is one of IIS. */
function unescapeAscii(text: string): string {
  return text.replace(/%(?:u00)?([0-7][\da-f])/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
}
