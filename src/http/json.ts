import { printable, shorten } from '../errors.ts'
import { isRecord } from '../schema/expected.ts'
import { BodyTooLargeError } from './body.ts'

/** The maximum length of text before the JSON, in characters. */
const MAX_PREFIX = 65_536

/** A byte order mark, or text that ends with a line break or a tag and is not truncated JSON. */
const prefix = /^\uFEFF+|^(?!\s*[[{"])[\s\S]*?[\n>](?=[ \t\r]*\{\s*["}])/

/** The maximum number of values in a body: a hostile body of a few compressed kilobytes could take a gigabyte of memory. */
const MAX_VALUES = 1_000_000

/**
 * Parses JSON, even if PHP warnings precede it. Returns the text itself if it is not JSON.
 *
 * @throws {BodyTooLargeError} if the body has too many values; it is not parsed
 */
export function parseBody(text: string): unknown {
  if (countValues(text) > MAX_VALUES) throw new BodyTooLargeError(`${MAX_VALUES} values`)
  try {
    return JSON.parse(text)
  } catch {
    return jsonBehindText(text) ?? text
  }
}

/** An upper bound for the number of values in a JSON text: each but the first follows a comma, a bracket or a brace. */
function countValues(text: string): number {
  // Each value takes at least two characters.
  if (text.length < 2 * MAX_VALUES) return 0
  let count = 1
  for (let index = 0; index < text.length && count <= MAX_VALUES; index++) {
    const unit = text.charCodeAt(index)
    if (unit === 44 || unit === 91 || unit === 123) count++
  }
  return count
}

/** The JSON object at the end of a text, if it has the key `error`, which no nested object has. */
function jsonBehindText(text: string): unknown {
  const [before] = prefix.exec(text.slice(0, MAX_PREFIX)) ?? []
  if (before === undefined) return undefined
  try {
    const body: unknown = JSON.parse(text.slice(before.length))
    return isRecord(body) && 'error' in body ? body : undefined
  } catch {
    return undefined
  }
}

/** Whether a body is an HTML page. */
export const isHtml = (body: string): boolean => /^\s*</.test(body.slice(0, 1000))

/** Describes a body that is not a JSON object, with its first readable words. It must not contain secrets. */
export function describeUnreadable(body: unknown): string {
  if (typeof body !== 'string') return 'expected a JSON object in the response body'
  const excerpt = excerptOf(body)
  if (excerpt === '') return body.trim() === '' ? 'the response is empty' : 'the response is not JSON'
  const begins = `It begins with “${excerpt}”`
  if (/^(PHP )?(Fatal error|Parse error|Warning|Notice|Deprecated) ?: /.test(excerpt)) {
    return `the response is a PHP error message, not JSON. ${begins}`
  }
  return isHtml(body)
    ? `the response is an HTML page, not JSON: a gateway, maintenance, or a wrong address. ${begins}`
    : `the response is not JSON, or was cut short. ${begins}`
}

/** The beginning of a text on one line. Each tag becomes a space, because removing it could join the parts of a secret. */
function excerptOf(text: string): string {
  const visible = text
    .slice(0, 4000)
    .replace(/<(script|style)\b[\s\S]*?(<\/\1|$)/gi, ' <')
    .replace(/<[^<>]*(>|$)/g, ' ')
  return shorten(printable(visible).replace(/ +/g, ' ').trim(), 100)
}
