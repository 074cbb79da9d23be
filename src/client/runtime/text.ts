/** Formats a duration in milliseconds, as `350 ms` or `12.5 s`. */
export const formatDuration = (ms: number): string =>
  ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`

/** Truncates a text and adds an ellipsis. Remove secrets first, because half a secret is not recognized. */
export function shorten(text: string, maxLength: number): string {
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text
}

/** Control characters, format characters and lone surrogates. Not `\p{C}`, because some engines do not support it. */
const unprintable =
  /[\0-\x1f\x7f-\x9f\xad\u0600-\u0605\u061c\u06dd\u070f\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff\u{e0000}-\u{e007f}]/gu

/**
 * Puts a text on one line, and replaces characters that move a cursor, color a terminal or reverse the text direction.
 * Use it for every text from a server, before it reaches a message or a log.
 */
export function toPrintable(text: string): string {
  return text.replace(/[\t-\r\u0085\u2028\u2029]+/g, ' ').replace(unprintable, '\ufffd')
}

/** Describes the type of a value, without the value itself. */
export function describeType(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  if (value === '') return 'an empty string'
  if (Array.isArray(value)) return 'a list'
  if (typeof value !== 'object') return `a ${typeof value}`
  const name = isPlain(value) ? 'object' : getClass(value)
  return `${/^[aeio]/i.test(name) ? 'an' : 'a'} ${name}`
}

export const isPromise = (value: unknown): boolean => typeof (value as { then?: unknown } | null)?.then === 'function'

/** Returns the class of an object if it is built in, such as `FormData`, and `Object` for the classes of a program. */
const getClass = (value: object): string =>
  isPromise(value) ? 'Promise' : Object.prototype.toString.call(value).slice(8, -1)

/** Returns whether a value is an error from any realm. Under Jest, fetch throws errors from another one. */
export function hasMessage(value: unknown): value is Error {
  return typeof (value as Partial<Error> | null | undefined)?.message === 'string'
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns whether a value is an object whose properties are its contents: not a Promise, a FormData or a Map. */
export function isPlain(value: unknown): value is Record<string, unknown> {
  return isRecord(value) && ['Object', 'Module'].includes(getClass(value))
}
