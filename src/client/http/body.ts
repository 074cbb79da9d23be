import { isBrowser } from '../runtime/environment.ts'
import type { FetchResponse } from '../runtime/fetch.ts'
import { isRecord, shorten, toPrintable } from '../runtime/text.ts'
import type { Redact } from '../secrets.ts'

/** The size limit of a response after decompression: 16 MiB. */
const MAX_BYTES = 16 * 1024 * 1024

/** Thrown for a response that is larger than the limit. */
export class BodyTooLargeError extends Error {
  override readonly name = 'BodyTooLargeError'

  constructor() {
    super(`the response is larger than ${MAX_BYTES} bytes`)
  }
}

/**
 * Reads a body as UTF-8.
 *
 * Browsers use `text()`, because Chromium shows a request as canceled if its body is read in another way. The body of a
 * fetch without web streams (node-fetch, React Native) is measured once it is complete.
 *
 * @param signal The signal of the attempt. It also aborts when the attempt fails.
 * @throws {BodyTooLargeError} if it is larger than 16 MiB; the rest is not read
 */
export async function readText(response: FetchResponse, signal?: AbortSignal): Promise<string> {
  if (isWebStream(response.body) && !isBrowser()) return decode(await readStream(response.body, signal))
  const text = await response.text()
  if (text.length > MAX_BYTES) throw new BodyTooLargeError()
  return text
}

/** Reads a body as bytes, within the same limit. */
export async function readBytes(response: FetchResponse, signal: AbortSignal): Promise<Uint8Array> {
  if (isWebStream(response.body) && !isBrowser()) return readStream(response.body, signal)
  const bytes = new Uint8Array(await (response as Response).arrayBuffer())
  if (bytes.length > MAX_BYTES) throw new BodyTooLargeError()
  return bytes
}

export const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

const isWebStream = (body: unknown): body is ReadableStream<Uint8Array> =>
  typeof body === 'object' && body !== null && 'getReader' in body

async function readStream(stream: ReadableStream<Uint8Array>, signal?: AbortSignal): Promise<Uint8Array> {
  const reader = stream.getReader()
  const cancel = () => void reader.cancel(signal?.reason).catch(() => {})
  // Closes the socket even if fetch no longer listens to its signal.
  signal?.addEventListener('abort', cancel)
  const chunks: Uint8Array[] = []
  let length = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    chunks.push(value)
    length += value.byteLength
    if (length > MAX_BYTES) throw new BodyTooLargeError()
  }
  // Node keeps the signal of a fetch for a long time, and the listener keeps the whole body.
  signal?.removeEventListener('abort', cancel)
  return join(chunks, length)
}

function join(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const bytes = new Uint8Array(length)
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.byteLength
  }
  return bytes
}

/** The maximum length of text before the JSON, in characters. */
const MAX_PREFIX = 65_536

/** A byte order mark, or text that ends with a line break or a tag and is not truncated JSON. */
const prefix = /^\uFEFF+|^(?!\s*[[{"])[\s\S]*?[\n>](?=[ \t\r]*\{\s*["}])/

/** The maximum depth of a body. The platform's have six levels; recursion over millions would overflow the stack. */
const MAX_DEPTH = 100

/** Parses JSON, even if PHP warnings precede it. Returns the text itself if it is not JSON, or nested too deeply. */
export function parseBody(text: string): unknown {
  try {
    const body: unknown = JSON.parse(text)
    return isDeeperThan(MAX_DEPTH, body) ? text : body
  } catch {
    return parseJsonAfterText(text) ?? text
  }
}

function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((inner) => isDeeperThan(levels - 1, inner))
}

/** Parses the JSON object at the end of a text, if it has the key `error`, which no nested object has. */
function parseJsonAfterText(text: string): unknown {
  const [before] = prefix.exec(text.slice(0, MAX_PREFIX)) ?? []
  if (before === undefined) return undefined
  try {
    const body: unknown = JSON.parse(text.slice(before.length))
    return isRecord(body) && 'error' in body && !isDeeperThan(MAX_DEPTH, body) ? body : undefined
  } catch {
    return undefined
  }
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
  const isXml = /^\s*<(\?xml|svg|rss|feed)\b/i.test(body) && !/<html\b/i.test(body.slice(0, MAX_PREFIX))
  const page = isXml ? 'an XML document' : 'an HTML page'
  return `the response is ${page}, not JSON: a gateway, maintenance, or a wrong address${begins}`
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
