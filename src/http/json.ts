import { printable, shorten } from '../errors.ts'
import { isRecord } from '../schema/expected.ts'

/** How much text may stand before the JSON, in characters. */
const MAX_PREFIX = 65_536

/** A byte order mark, or text that ends with a line or a tag, and is not itself JSON that was cut short. */
const prefix = /^\uFEFF+|^(?!\s*[[{"])[\s\S]*?[\n>](?=[ \t\r]*\{\s*["}])/

/** Parsed JSON, also if PHP has put warnings before it; the text itself if it is not JSON. */
export function parseBody(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return jsonBehindText(text) ?? text
  }
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
