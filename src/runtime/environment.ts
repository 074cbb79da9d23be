/** What is asked of the globals, which differ from runtime to runtime. */
interface Host {
  readonly process?: {
    readonly env?: Record<string, string | undefined>
    readonly versions?: { readonly node?: string }
    getBuiltinModule?(name: 'stream'): typeof import('node:stream')
  }
  readonly navigator?: { readonly userAgent?: string }
  readonly location?: { readonly href?: string; readonly protocol?: string }
  readonly document?: unknown
  readonly WorkerGlobalScope?: unknown
  readonly Deno?: unknown
  readonly Bun?: unknown
}

const host = globalThis as Host

/** A variable of the environment, if the runtime has one and lets this program read it. */
export function environment(name: string): string | undefined {
  try {
    return host.process?.env?.[name] || undefined
  } catch {
    // Deno without --allow-env.
    return undefined
  }
}

/**
 * Whether this is a page or a worker of a browser. Other runtimes have some of its globals, but not its user agent; what
 * simulates a browser for tests runs in Node.
 */
export function isBrowser(): boolean {
  const { document, WorkerGlobalScope, navigator, process } = host
  const isWeb = document !== undefined || WorkerGlobalScope !== undefined
  return isWeb && navigator?.userAgent?.startsWith('Mozilla/') === true && process?.versions?.node === undefined
}

/** Whether a person visits this program: a page or its worker, but not a browser's extension, which only its user runs. */
export function isVisited(): boolean {
  return isBrowser() && !/^[\w-]+-extension:$/.test(host.location?.protocol ?? '')
}

/** The address of the page, which relative addresses refer to; `undefined` if there is no page. */
export function pageAddress(): string | undefined {
  const { href = '' } = host.location ?? {}
  return /^https?:/.test(href) ? href : undefined
}

/** Whether this is Deno. */
export const isDeno = (): boolean => host.Deno !== undefined

/**
 * Text or bytes as a body that is sent once. If a reused connection is lost, Deno sends text and bytes again by itself,
 * even in a POST (denoland/deno#35610); a Blob it does not.
 */
export function sentOnce(body: string | ArrayBuffer | ArrayBufferView | Blob): BodyInit {
  if (!isDeno()) return body as BodyInit
  const blob = new Blob([body as BlobPart])
  // Deno sends an empty Blob without a length.
  return blob.size > 0 ? blob : (body as BodyInit)
}

/**
 * How fetch is told not to follow redirects if it streams a body. Node's fetch keeps a copy of a body that it may have
 * to send again, unless a redirect is an error. Cloudflare Workers do not know that mode.
 */
export function streamedRedirect(): RequestRedirect {
  return 'FixedLengthStream' in globalThis ? 'manual' : 'error'
}

/**
 * The conversion of a stream for a fetch other than Node's own; `undefined` in other runtimes. node-fetch reads only
 * Node's streams: of any other it sends the text "[object ReadableStream]". undici reads both.
 */
export function toNodeStream(): ((stream: ReadableStream<Uint8Array>) => unknown) | undefined {
  const { process, Bun, Deno } = host
  if (Bun || Deno || !process?.getBuiltinModule) return undefined
  const { Readable } = process.getBuiltinModule('stream')
  // An error without a listener would end the process; fetch has its own way to tell of it.
  return (stream) => Readable.fromWeb(stream as Parameters<typeof Readable.fromWeb>[0]).on('error', () => {})
}
