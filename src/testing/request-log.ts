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

/** Reads the body as JSON, or as text if it is not JSON; `undefined` if there is none. */
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

/** Reads an upload. If files are not kept, it only counts the bytes. @internal */
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
