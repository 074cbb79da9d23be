import { printable, shorten } from '../errors.ts'
import { isRecord } from '../schema/expected.ts'
import { BodyTooLargeError } from './body.ts'

/** How much text may stand before the JSON, in characters. */
const MAX_PREFIX = 65_536

/** A byte order mark, or text that ends with a line or a tag, and is not itself JSON that was cut short. */
const prefix = /^\uFEFF+|^(?!\s*[[{"])[\s\S]*?[\n>](?=[ \t\r]*\{\s*["}])/

/** How many values a body may have: a hostile one of a few kilobytes, compressed, could take a gigabyte of memory. */
const MAX_VALUES = 1_000_000

/**
 * Parsed JSON, also if PHP has put warnings before it; the text itself if it is not JSON.
 *
 * @throws {BodyTooLargeError} before a body of too many values is parsed
 */
export function parseBody(text: string): unknown {
  if (countValues(text) > MAX_VALUES) throw new BodyTooLargeError(`${MAX_VALUES} values`)
  try {
    return JSON.parse(text)
  } catch {
    return jsonBehindText(text) ?? text
  }
}

/** At least as many as a JSON text has: each value but the first follows a comma, a bracket or a brace. */
function countValues(text: string): number {
  // Each of them takes two characters at least.
  if (text.length < 2 * MAX_VALUES) return 0
  let count = 1
  for (let index = 0; index < text.length && count <= MAX_VALUES; index++) {
    const unit = text.charCodeAt(index)
    if (unit === 44 || unit === 91 || unit === 123) count++
  }
  return count
}

/** The JSON object that ends a text, if it has the platform's `error`, which no part of another object has. */
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

/** What came in place of a JSON object, with its first readable words. The body must be without secrets. */
export function describeUnreadable(body: unknown): string {
  if (typeof body !== 'string') return 'expected a JSON object in the response body'
  const excerpt = excerptOf(body)
  if (excerpt === '') return body.trim() === '' ? 'the response is empty' : 'the response is not JSON'
  const begins = `It begins with “${excerpt}”`
  if (/^(PHP )?(Fatal error|Parse error|Warning|Notice|Deprecated) ?: /.test(excerpt)) {
    return `the response is a message of PHP, not JSON. ${begins}`
  }
  return isHtml(body)
    ? `the response is an HTML page, not JSON: a gateway, maintenance, or a wrong address. ${begins}`
    : `the response is not JSON, or was cut short. ${begins}`
}

/** The beginning of a text on one line. A space stands for each tag, so that no secret is put together. */
function excerptOf(text: string): string {
  const visible = text
    .slice(0, 4000)
    .replace(/<(script|style)\b[\s\S]*?(<\/\1|$)/gi, ' <')
    .replace(/<[^<>]*(>|$)/g, ' ')
  return shorten(printable(visible).replace(/ +/g, ' ').trim(), 100)
}
