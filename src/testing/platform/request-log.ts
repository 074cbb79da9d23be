import { TextDecoder } from './globals.ts'

/** A request that the sandbox received. It does not contain the key. */
export interface SandboxRequest {
  /** The API that was called; `visit` means that a short address was opened. */
  readonly api: 'management' | 'opener' | 'visit'
  readonly method: string
  /** The path relative to the API's address, still escaped, such as `/campaign/7/update`. */
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  /** The headers by lower-case name. Only the scheme of `authorization` is kept: `Bearer ***`. */
  readonly headers: Readonly<Record<string, string>>
  /** The parsed JSON, or the text if it is not JSON; the bytes of an upload. Not read without a valid key. */
  body: unknown
  /** The size of the body in bytes. */
  size: number
  /** When it was received, in milliseconds on the sandbox's clock. */
  readonly at: number
  /** Whether the work was done, regardless of the response, and even if there was none. */
  done: boolean
  /** The HTTP status of the response; `undefined` until there is one, and if the connection was dropped. */
  status: number | undefined
}

export function createEntry(request: Request, api: SandboxRequest['api'], path: string, at: number): SandboxRequest {
  const headers = Object.fromEntries(request.headers)
  const { authorization } = headers
  if (authorization !== undefined) headers.authorization = authorization.replace(/^((?:Bearer|Token) )?.*$/is, '$1***')
  const query = Object.fromEntries(new URL(request.url).searchParams)
  return {
    ...{ api, method: request.method, path, query, headers, at },
    ...{ body: undefined, size: 0, done: false, status: undefined },
  }
}

/** Parses a body as JSON, or as text if it is not JSON; `undefined` if there is none. */
export function parseJsonOrText(bytes: Uint8Array): unknown {
  const text = new TextDecoder().decode(bytes)
  try {
    return text === '' ? undefined : JSON.parse(text)
  } catch {
    return text
  }
}

/** Replaces passwords and keys, because a terminal may be on a shared screen. */
export function hideSecret(name: string, value: unknown): unknown {
  return value !== '' && /pass|token|secret|^(api[-_]?)?key$/i.test(name) ? '***' : value
}
