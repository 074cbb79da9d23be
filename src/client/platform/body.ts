/** Parses bodies, which PHP warnings may precede, and describes those that are not JSON. */
import { isRecord, shorten, toPrintable } from '../runtime/text.ts'
import type { Redact } from '../secrets.ts'

/** The maximum length of text before the JSON, in characters. */
const MAX_PREFIX = 65_536

/** A byte order mark, or text that ends with a line break or a tag and is not truncated JSON. */
const prefix = /^\uFEFF+|^(?!\s*[[{"])[\s\S]*?[\n>](?=[ \t\r]*\{\s*["}])/

/** The maximum depth of a body. The platform's have six levels; recursion over millions would overflow the stack. */
const MAX_DEPTH = 100

/**
 * Parses JSON, even if PHP warnings precede it: then an object with the key `error`, which no nested object has. Returns
 * the text itself if it is not JSON, or nested too deeply.
 */
export function parseBody(text: string): unknown {
  const whole = parseJson(text)
  if (whole !== undefined) return whole
  const [before] = prefix.exec(text.slice(0, MAX_PREFIX)) ?? []
  const rest = before && parseJson(text.slice(before.length))
  return isRecord(rest) && 'error' in rest ? rest : text
}

/** Parses JSON. Returns `undefined` if it is invalid, or nested too deeply. */
function parseJson(text: string): unknown {
  try {
    const body: unknown = JSON.parse(text)
    return isDeeperThan(MAX_DEPTH, body) ? undefined : body
  } catch {
    return undefined
  }
}

function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  const isDeeper = (inner: unknown) => isDeeperThan(levels - 1, inner)
  if (Array.isArray(value)) return value.some(isDeeper)
  // `Object.values` is three times slower if an object has 100,000 keys.
  return Object.keys(value).some((name) => isDeeper((value as Record<string, unknown>)[name]))
}

/** Returns whether a body is an HTML page: it begins with a tag, or with PHP warnings and then a page. */
export function isHtml(body: string): boolean {
  if (/^\s*</.test(body)) return true
  return !/^\s*[[{"]/.test(body) && /<(!doctype|html)\b/i.test(body.slice(0, MAX_PREFIX))
}

/** Describes a body that is not a JSON object, and quotes the beginning of its text without secrets. */
export function describeUnreadable(body: unknown, redact: Redact): string {
  if (typeof body !== 'string') return 'expected a JSON object in the response body'
  const excerpt = extractExcerpt(redact(body))
  if (body.trim() === '') return 'the response is empty'
  const begins = excerpt && `. It begins with “${excerpt}”`
  if (!isHtml(body)) return `the response is not JSON, or was cut short${begins}`
  return `the response is an HTML page, not JSON: a gateway, maintenance, or a wrong address${begins}`
}

/** Returns the beginning of the visible text of a page, on one line. Remove secrets first. */
function extractExcerpt(text: string): string {
  const visible = text
    .slice(0, 4000)
    .replace(/<!--[\s\S]*?(-->|$)/g, ' ')
    .replace(/<(script|style)\b[\s\S]*?(<\/\1|$)/gi, ' <')
    .replace(/<[^<>]*(>|$)/g, ' ')
  return shorten(toPrintable(visible).replace(/ +/g, ' ').trim(), 100)
}
