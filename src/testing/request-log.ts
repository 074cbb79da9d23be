import { TextDecoder } from './host.ts'

/** A request that the sandbox received. It does not contain the key. */
export interface SandboxRequest {
  /** The API that was called; `visit` means that a short address was opened. */
  readonly api: 'management' | 'opener' | 'visit'
  readonly method: string
  /** Relative to the API's address, still escaped, such as `/campaign/7/update`. */
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  /** By lower-case name. Only the scheme of `authorization` is kept: `Bearer ***`. */
  readonly headers: Readonly<Record<string, string>>
  /** The parsed JSON, or the text if it is not JSON; the bytes of an upload (none with `keepFiles: false`). */
  body: unknown
  /** Bytes in the body. */
  size: number
  /** When it was received, in milliseconds of the sandbox's clock. */
  readonly at: number
  /** Whether the work was done, whatever the response said, and even if there was none. */
  done: boolean
  /** HTTP status of the response; `undefined` until there is one, and if the connection was dropped. */
  status: number | undefined
}

export function requestEntry(request: Request, api: SandboxRequest['api'], path: string, at: number): SandboxRequest {
  const headers = Object.fromEntries(request.headers)
  const { authorization } = headers
  if (authorization !== undefined) headers.authorization = authorization.replace(/^((?:Bearer|Token) )?.*$/is, '$1***')
  return {
    api,
    method: request.method,
    path,
    query: Object.fromEntries(new URL(request.url).searchParams),
    headers,
    body: undefined,
    size: 0,
    at,
    done: false,
    status: undefined,
  }
}

/** Reads at most `most` bytes of a body, and counts all of them. */
export async function readBody(
  request: Request,
  most: number,
): Promise<{ bytes: Uint8Array<ArrayBuffer>; size: number }> {
  if (!request.body) {
    // Firefox has none of any request.
    const whole = new Uint8Array(await request.arrayBuffer())
    return { bytes: whole.slice(0, most), size: whole.length }
  }
  const pieces: Uint8Array[] = []
  let [kept, size] = [0, 0]
  const reader = request.body.getReader()
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    size += piece.value.length
    if (kept === most) continue
    const start = piece.value.subarray(0, most - kept)
    pieces.push(start)
    kept += start.length
  }
  const bytes = new Uint8Array(kept)
  let at = 0
  for (const piece of pieces) {
    bytes.set(piece, at)
    at += piece.length
  }
  return { bytes, size }
}

/** The JSON of a body, or the text if it is not JSON; `undefined` if there is none. */
export function jsonOrText(bytes: Uint8Array<ArrayBuffer>): unknown {
  const text = new TextDecoder().decode(bytes)
  try {
    return text === '' ? undefined : JSON.parse(text)
  } catch {
    return text
  }
}

/** Replaces passwords and keys, because a terminal or a page may be on a shared screen. */
export function withoutSecrets<Fields extends Record<string, unknown>>(fields: Fields): Fields {
  const isSecret = (name: string) => /pass|token|secret|^(api[-_]?)?key$/i.test(name)
  const masked = Object.entries(fields).map(([name, value]) => [name, isSecret(name) ? '***' : value])
  return Object.fromEntries(masked) as Fields
}
