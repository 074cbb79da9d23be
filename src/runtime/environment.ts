/** A variable of the environment, where the runtime has one. */
export function environment(name: string): string | undefined {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } }
  return process?.env?.[name] || undefined
}

/** The runtime's own fetch. It is looked up at each call, so that one which is put in its place later, by a test say, counts. */
export const runtimeFetch: typeof globalThis.fetch = (...call) => globalThis.fetch(...call)

/** Whether this is a page or a worker of a browser. Other runtimes have some of its globals, but not its user agent. */
export function isBrowser(): boolean {
  const { document, WorkerGlobalScope, navigator } = globalThis as Record<string, unknown> & {
    navigator?: { userAgent?: string }
  }
  return (document !== undefined || WorkerGlobalScope !== undefined) && /^Mozilla\//.test(navigator?.userAgent ?? '')
}

/**
 * Text or bytes as a body that is sent once. Deno takes the loss of a connection that was used before for a stale one,
 * and sends text and bytes again by itself, even in a POST (denoland/deno#35610); a Blob it does not.
 */
export function sentOnce(body: string | ArrayBuffer | ArrayBufferView | Blob): BodyInit {
  if (!('Deno' in globalThis)) return body as BodyInit
  const blob = new Blob([body as BlobPart])
  // An empty Blob it would send without a length.
  return blob.size > 0 ? blob : (body as BodyInit)
}

/**
 * How fetch is told to follow no redirect where it streams a body. Node's keeps a copy of what it may have to send again
 * to another address, unless a redirect is an error. Cloudflare Workers know none of the kind.
 */
export function streamedRedirect(): RequestRedirect {
  return 'FixedLengthStream' in globalThis ? 'manual' : 'error'
}
