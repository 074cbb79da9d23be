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

/** An environment variable, if the runtime has them and allows this program to read it. */
export function environment(name: string): string | undefined {
  try {
    return host.process?.env?.[name] || undefined
  } catch {
    // Deno without --allow-env.
    return undefined
  }
}

/**
 * Returns true in a browser page or worker. Other runtimes have some of a browser's globals, but not its user agent;
 * test environments that simulate a browser run in Node.
 */
export function isBrowser(): boolean {
  const { document, WorkerGlobalScope, navigator, process } = host
  const isWeb = document !== undefined || WorkerGlobalScope !== undefined
  return isWeb && navigator?.userAgent?.startsWith('Mozilla/') === true && process?.versions?.node === undefined
}

/**
 * Returns true if visitors run this program: in a page or its worker, but not in a browser extension, which only its
 * user runs.
 */
export function isVisited(): boolean {
  return isBrowser() && !/^[\w-]+-extension:$/.test(host.location?.protocol ?? '')
}

/** The URL of the page, for resolving relative URLs; `undefined` if there is no page. */
export function pageAddress(): string | undefined {
  const { href = '' } = host.location ?? {}
  return /^https?:/.test(href) ? href : undefined
}

/** Returns true in Deno. */
export const isDeno = (): boolean => host.Deno !== undefined

/**
 * A body that is sent only once. If a reused connection is lost, Deno resends text and bytes by itself, even in a POST
 * (denoland/deno#35610), but not a Blob.
 */
export function sentOnce<Body extends string | ArrayBuffer | ArrayBufferView | Blob>(body: Body): Body | Blob {
  if (!isDeno()) return body
  const blob = new Blob([body as BlobPart])
  // Deno sends an empty Blob without a length.
  return blob.size > 0 ? blob : body
}

/** Returns true if a body can be streamed. React Native has no streams, and the Blob of jsdom gives none. */
export const canStream = (): boolean => 'ReadableStream' in globalThis && 'stream' in Blob.prototype

/**
 * The redirect mode for a streamed body. Node's fetch keeps a copy of a body that it may have to resend, except in the
 * mode `error`, which Cloudflare Workers do not support.
 */
export function streamedRedirect(): 'error' | 'manual' {
  return 'FixedLengthStream' in globalThis ? 'manual' : 'error'
}

/** Returns true for a valid URL. Not every runtime has `URL.canParse` (React Native). */
export function canParseUrl(text: string, base?: string): boolean {
  try {
    new URL(text, base)
    return true
  } catch {
    return false
  }
}

/** The key that `for await` uses, also in compiled code on engines without the symbol (older Hermes). */
export const asyncIterator: typeof Symbol.asyncIterator =
  Symbol.asyncIterator ?? ('@@asyncIterator' as unknown as typeof Symbol.asyncIterator)
