import { printable, shorten } from '../errors.ts'
import { abortReason, onAbort, throwIfAborted } from '../runtime/abort.ts'
import { asyncIterator, isBrowser } from '../runtime/environment.ts'
import { isRecord } from '../schema/expected.ts'

/** The size limit of a response after decompression: 16 MiB. */
export const MAX_BODY_BYTES = 16 * 1024 * 1024

/** Thrown for a response that is larger than a limit. */
export class BodyTooLargeError extends Error {
  override readonly name = 'BodyTooLargeError'

  constructor(limit: string) {
    super(`the response is larger than ${limit}`)
  }
}

/** Thrown if a fetch resolves with something that cannot be read as a Response. */
export class UnusableResponseError extends Error {
  override readonly name = 'UnusableResponseError'
}

/** A response as the fetch implementations provide it. */
interface ReadableResponse {
  readonly headers?: { get(name: string): string | null }
  readonly type?: string
  readonly bodyUsed?: boolean
  /** A web stream, a Node stream (node-fetch), `null` for no body, or not supported at all (React Native). */
  readonly body?: unknown
  text(): Promise<string>
}

/**
 * Reads a body as UTF-8 and never holds more than about `maxBytes` of it, counted after decompression.
 *
 * In a browser, `response.text()` reads it if the length is known and allowed, or a page asks its own server, because
 * Chromium shows any other way as canceled. Elsewhere an abort cancels the stream, so that the socket closes even if fetch no
 * longer listens to its signal.
 *
 * @throws {BodyTooLargeError} as soon as the limit is exceeded; the rest is not read
 * @throws {UnusableResponseError} if the body was read before, or is not text
 * @throws the signal's reason, after an abort
 */
export async function readText(response: ReadableResponse, maxBytes: number, signal?: AbortSignal): Promise<string> {
  const isBounded = response.type === 'basic' || knownLength(response) <= maxBytes
  const asText = (isBrowser() && isBounded) || !canDecode()
  const bytes = asText ? undefined : await readStream(response, maxBytes, signal)
  return bytes ? decode(bytes) : readWhole(response, maxBytes)
}

/** Reads a body as it is, within the same limit and with the same errors. */
export async function readBytes(
  response: ReadableResponse,
  maxBytes: number,
  signal?: AbortSignal,
): Promise<Uint8Array> {
  return (await readStream(response, maxBytes, signal)) ?? new TextEncoder().encode(await readWhole(response, maxBytes))
}

/** Decodes UTF-8. */
export const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

/** Reads the stream of a body; `undefined` if it has none. */
async function readStream(
  response: ReadableResponse,
  maxBytes: number,
  signal: AbortSignal | undefined,
): Promise<Uint8Array | undefined> {
  throwIfUsed(response)
  const source = openSource(response.body)
  if (!source) return undefined

  let bytes: Uint8Array = new Uint8Array()
  let length = 0
  const unsubscribe = signal && onAbort(signal, () => source.cancel(abortReason(signal)))
  try {
    throwIfAborted(signal)
    for (;;) {
      const { done, value } = await source.next()
      if (done) break
      if (!ArrayBuffer.isView(value)) throw new UnusableResponseError('the response body must be a stream of bytes')
      if (length + value.byteLength > maxBytes) throw new BodyTooLargeError(`${maxBytes} bytes`)
      bytes = append(bytes, length, new Uint8Array(value.buffer, value.byteOffset, value.byteLength))
      length += value.byteLength
    }
    // A web stream that was cancelled ends like one that is complete.
    throwIfAborted(signal)
    return bytes.subarray(0, length)
  } catch (error) {
    source.cancel()
    // A Node stream that was destroyed fails with an error of its own.
    throwIfAborted(signal)
    throw error
  } finally {
    unsubscribe?.()
  }
}

function throwIfUsed({ bodyUsed, body }: ReadableResponse): void {
  if (bodyUsed || (body as ReadableStream | null | undefined)?.locked) {
    throw new UnusableResponseError(
      '`fetch` must resolve with a new Response for each call, got one that was already read',
    )
  }
}

/** Whether bytes can be read as text here; not in jest-environment-jsdom. */
const canDecode = (): boolean => 'TextDecoder' in globalThis

/** The length of a body that is not compressed, in bytes; `Infinity` if it is not known. */
function knownLength({ headers, type }: ReadableResponse): number {
  try {
    // Browsers hide from other origins whether the body is compressed.
    if (!headers || type === 'cors' || headers.get('content-encoding')) return Number.POSITIVE_INFINITY
    const length = headers.get('content-length') ?? ''
    return /^\d{1,15}$/.test(length) ? Number(length) : Number.POSITIVE_INFINITY
  } catch {
    // Some frameworks throw if a header is read.
    return Number.POSITIVE_INFINITY
  }
}

/** Cancels a body that will not be read, so that its connection becomes free. */
export function discardBody(response: Pick<ReadableResponse, 'body'>): void {
  openSource(response.body)?.cancel()
}

/** Appends a chunk to a buffer whose capacity doubles, so that many tiny chunks cost linear time. */
function append(bytes: Uint8Array, length: number, chunk: Uint8Array): Uint8Array {
  // Most bodies are one chunk, which needs no copy.
  if (length === 0) return chunk
  let target = bytes
  if (length + chunk.byteLength > bytes.byteLength) {
    target = new Uint8Array(Math.max(2 * length, length + chunk.byteLength))
    target.set(bytes.subarray(0, length))
  }
  target.set(chunk, length)
  return target
}

interface Source {
  next(): Promise<{ done?: boolean | undefined; value?: unknown }>
  cancel(reason?: unknown): void
}

function openSource(body: unknown): Source | undefined {
  if (typeof body !== 'object' || body === null) return undefined
  if (isWebStream(body)) {
    const reader = body.getReader()
    return { next: () => reader.read(), cancel: (reason) => void reader.cancel(reason).catch(() => {}) }
  }
  if (!isNodeStream(body)) return undefined
  const chunks = body[asyncIterator]()
  // `chunks.return()` would wait for the read that is pending.
  return { next: () => chunks.next(), cancel: () => body.destroy() }
}

const isWebStream = (body: object): body is ReadableStream<unknown> => 'getReader' in body

const isNodeStream = (body: object): body is AsyncIterable<unknown> & { destroy(): void } =>
  asyncIterator in body && 'destroy' in body

/** Reads a body of a fetch without streams, which holds the whole body in any case. */
async function readWhole(response: ReadableResponse, maxBytes: number): Promise<string> {
  throwIfUsed(response)
  const text: unknown = await response.text()
  if (typeof text !== 'string')
    throw new UnusableResponseError('the `text()` of the response must resolve with a string')
  // A UTF-16 unit is at most three bytes of UTF-8, so most texts can be measured without encoding them.
  if (text.length * 3 > maxBytes && new TextEncoder().encode(text).byteLength > maxBytes) {
    throw new BodyTooLargeError(`${maxBytes} bytes`)
  }
  return text
}

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
