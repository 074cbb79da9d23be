import type { ShortLinkClient, ShortLinkClientOptions } from 'shortlink-sdk'
import { type RemoteOptions, RemoteSandbox } from './remote-sandbox.ts'

/** The package as it was loaded: its modules by entry. */
export interface Package {
  sdk: typeof import('shortlink-sdk')
  testing: typeof import('shortlink-sdk/testing')
  proxy: typeof import('shortlink-sdk/proxy')
  schemas: typeof import('shortlink-sdk/schemas')
  bulk: typeof import('shortlink-sdk/bulk')
}

/** Where the suite runs. */
export interface Place extends Package {
  /** Address of the control that makes sandboxes. */
  control: string
  /** Puts bytes into a file and opens it as a user of this runtime would; absent where there are no files. */
  openFile?: (bytes: Uint8Array) => Promise<Blob>
  /** An address on which nothing listens. */
  deadUrl: string
}

/** What a check is given: the package, a sandbox of its own, and a client for it. */
export interface Setting extends Place {
  sandbox: RemoteSandbox
  client: ShortLinkClient
  dialect: 'reference' | 'deployed'
  /** Another client for the same sandbox. */
  connect(options?: ShortLinkClientOptions): ShortLinkClient
}

/** Says why a check cannot be made in this runtime. */
export class Skip extends Error {}

export type Check = (setting: Setting) => Promise<void>

/** Checks of one column of the table. */
export interface Topic {
  name: string
  /** How the sandbox is made, beside the dialect. */
  sandbox?: RemoteOptions
  /** Default: both. Where the dialect changes nothing, one is enough. */
  dialects?: readonly ('reference' | 'deployed')[]
  checks: Record<string, Check>
}

export async function prepare(place: Place, options: RemoteOptions): Promise<Setting> {
  const sandbox = await RemoteSandbox.create(place.control, { rateLimit: false, ...options })
  const { baseUrl, openerUrl, apiKey } = sandbox
  const connect = (more: ShortLinkClientOptions = {}) =>
    new place.sdk.ShortLinkClient({
      baseUrl,
      openerUrl,
      apiKey,
      dangerouslyAllowBrowser: true,
      timeout: 10_000,
      ...more,
    })
  return { ...place, sandbox, connect, client: connect({ rateLimit: false }), dialect: options.dialect ?? 'reference' }
}
