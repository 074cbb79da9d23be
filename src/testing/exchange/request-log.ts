/** One request that came in, as a test wants to see it. It holds no key. */
export interface SandboxRequest {
  /** Which API it was for; `visit` is a short address that somebody opened. */
  readonly api: 'management' | 'opener' | 'visit'
  readonly method: string
  /** Below the API's address, still escaped, such as `/campaign/7/update`. */
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  /** By lower-case name. Of `authorization` only the scheme is kept: `Bearer ***`. */
  readonly headers: Readonly<Record<string, string>>
  /** The JSON, or the text where it is none; the bytes of an upload (none with `keepFiles: false`). */
  body: unknown
  /** Bytes in the body. */
  size: number
  /** When it came, in milliseconds of the sandbox's clock. */
  readonly at: number
  /** Whether the work was done, whatever the answer said or whether one came. */
  done: boolean
  /** HTTP status of the answer; `undefined` while there is none, and where the connection was dropped. */
  status: number | undefined
}

export function requestEntry(request: Request, api: SandboxRequest['api'], path: string, at: number): SandboxRequest {
  const headers = Object.fromEntries(request.headers)
  const { authorization } = headers
  if (authorization !== undefined) headers.authorization = authorization.replace(/^(Bearer )?.*$/is, '$1***')
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

/** Reads JSON, or leaves text that is none as it is; `undefined` for no body. */
export async function readText(request: Request): Promise<{ body: unknown; size: number }> {
  const text = await request.text()
  const size = new TextEncoder().encode(text).length
  if (text === '') return { body: undefined, size }
  try {
    return { body: JSON.parse(text), size }
  } catch {
    return { body: text, size }
  }
}

/** Reads an upload: all of it, or, where files are not kept, one piece after the other only to count. @internal */
export async function readUpload(
  request: Request,
  keep: boolean,
): Promise<{ body: Uint8Array<ArrayBuffer>; size: number }> {
  if (keep || !request.body) {
    const body = new Uint8Array(await request.arrayBuffer())
    return { body, size: body.length }
  }
  let size = 0
  const reader = request.body.getReader()
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) size += piece.value.length
  return { body: new Uint8Array(), size }
}
