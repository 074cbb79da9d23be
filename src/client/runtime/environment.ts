/** Globals that differ between runtimes. */
interface Host {
  readonly process?: {
    readonly env?: Record<string, string | undefined>
    readonly versions?: { readonly node?: string }
  }
  readonly navigator?: { readonly userAgent?: string }
  readonly location?: { readonly href?: string; readonly protocol?: string }
  readonly document?: unknown
  readonly WorkerGlobalScope?: unknown
  readonly Deno?: unknown
  readonly Bun?: unknown
}

const host = globalThis as Host

/** Returns an environment variable, if the runtime has them and allows the program to read it. */
export function readVariable(name: string): string | undefined {
  try {
    return host.process?.env?.[name] || undefined
  } catch {
    // Deno without --allow-env.
    return undefined
  }
}

/**
 * Returns whether the program runs in a browser page or worker. Other runtimes have some of a browser's globals, but
 * not its user agent. Test environments that simulate a browser run in Node.
 */
export function isBrowser(): boolean {
  const { document, WorkerGlobalScope, navigator, process } = host
  const isWeb = document !== undefined || WorkerGlobalScope !== undefined
  return isWeb && navigator?.userAgent?.startsWith('Mozilla/') === true && process?.versions?.node === undefined
}

/** Returns whether visitors of a website run this program: in a page or its worker, but not in a browser extension. */
export function isPublicPage(): boolean {
  return isBrowser() && !/^[\w-]+-extension:$/.test(host.location?.protocol ?? '')
}

/** Returns the URL of the page, to resolve relative URLs; `undefined` if there is no page. */
export function getPageUrl(): string | undefined {
  const { href = '' } = host.location ?? {}
  return /^https?:/.test(href) ? href : undefined
}

export const isDeno = (): boolean => host.Deno !== undefined

/**
 * Returns a body that the runtime sends only once. If a reused connection is lost, Deno resends text and bytes, even in
 * a POST (denoland/deno#35610), but not a Blob.
 */
export function preventResend<Body extends string | ArrayBuffer | ArrayBufferView | Blob>(body: Body): Body | Blob {
  if (!isDeno()) return body
  const blob = new Blob([body as BlobPart])
  // Deno sends an empty Blob without a length.
  return blob.size > 0 ? blob : body
}

/** Returns whether a body can be streamed. React Native has no streams, and the Blob of jsdom cannot create one. */
export const canStream = (): boolean => 'ReadableStream' in globalThis && 'stream' in Blob.prototype

/**
 * Returns the redirect mode for a streamed body. Node's fetch keeps a copy of a body that it may have to resend, except
 * in the mode `error`, which Cloudflare Workers do not support.
 */
export function getStreamRedirect(): 'error' | 'manual' {
  return 'FixedLengthStream' in globalThis ? 'manual' : 'error'
}

/** Returns whether a URL is valid. Not every runtime has `URL.canParse` (React Native). */
export function canParseUrl(text: string, base?: string): boolean {
  try {
    new URL(text, base)
    return true
  } catch {
    return false
  }
}

/** The key that `for await` uses, including compiled code on engines without the symbol (older Hermes). */
export const asyncIterator: typeof Symbol.asyncIterator =
  Symbol.asyncIterator ?? ('@@asyncIterator' as unknown as typeof Symbol.asyncIterator)
