/** A variable of the environment, where the runtime has one. */
export function environment(name: string): string | undefined {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } }
  return process?.env?.[name] || undefined
}

/** Whether this is a page or a worker of a browser. Other runtimes have some of its globals, but not its user agent. */
export function isBrowser(): boolean {
  const { document, WorkerGlobalScope, navigator } = globalThis as Record<string, unknown> & {
    navigator?: { userAgent?: string }
  }
  const isWeb = document !== undefined || WorkerGlobalScope !== undefined
  return isWeb && navigator?.userAgent?.startsWith('Mozilla/') === true
}

/** Whether this is Deno. */
export const isDeno = (): boolean => 'Deno' in globalThis

/**
 * Text or bytes as a body that is sent once. Where a reused connection is lost, Deno sends text and bytes again by
 * itself, even in a POST (denoland/deno#35610); a Blob it does not.
 */
export function sentOnce(body: string | ArrayBuffer | ArrayBufferView | Blob): BodyInit {
  if (!isDeno()) return body as BodyInit
  const blob = new Blob([body as BlobPart])
  // Deno sends an empty Blob without a length.
  return blob.size > 0 ? blob : (body as BodyInit)
}

/**
 * How fetch is told not to follow redirects where it streams a body. Node's fetch keeps a copy of a body that it may have
 * to send again, unless a redirect is an error. Cloudflare Workers do not know that mode.
 */
export function streamedRedirect(): RequestRedirect {
  return 'FixedLengthStream' in globalThis ? 'manual' : 'error'
}
