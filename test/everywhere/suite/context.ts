import type { ShortLinkClient, ShortLinkClientOptions } from 'shortlink-sdk'
import type { Deviation } from 'shortlink-sdk/testing'
import { type RemoteOptions, RemoteSandbox } from './remote-sandbox.ts'

/** The loaded modules of the package. */
export interface Package {
  sdk: typeof import('shortlink-sdk')
  testing: typeof import('shortlink-sdk/testing')
  proxy: typeof import('shortlink-sdk/proxy')
  schemas: typeof import('shortlink-sdk/schemas')
  tasks: typeof import('shortlink-cli')
}

/** The environment in which the suite runs. */
export interface Host extends Package {
  /** The address of the server that creates sandboxes. */
  control: string
  /** Writes bytes to a file and opens it as users of this runtime do. Undefined if the runtime has no files. */
  openFile?: (bytes: Uint8Array) => Promise<Blob>
  /** A URL on which no server listens. */
  deadUrl: string
}

/** The parameter of a check: the package, the check's own sandbox, and a client for it. */
export interface CheckContext extends Host {
  sandbox: RemoteSandbox
  client: ShortLinkClient
  dialect: DialectName
  /** Creates another client for the same sandbox. */
  connect(options?: ShortLinkClientOptions): ShortLinkClient
}

/** Thrown by a check that this runtime cannot run. The message is the reason. */
export class Skip extends Error {}

/** The dialect of a sandbox: the reference, or every deviation that needs no options and keeps page sizes. */
export type DialectName = 'reference' | 'deviating'

export type Check = (context: CheckContext) => Promise<void>

/** The checks of one column of the table. */
export interface Topic {
  name: string
  /** Options of the sandbox, except the dialect. */
  sandbox?: RemoteOptions
  /** Default: both. One is enough if the dialect makes no difference. */
  dialects?: readonly DialectName[]
  checks: Record<string, Check>
}

export async function createContext(
  host: Host,
  dialect: DialectName,
  options: RemoteOptions = {},
): Promise<CheckContext> {
  const sandbox = await RemoteSandbox.create(host.control, {
    rateLimit: false,
    dialect: dialect === 'reference' ? dialect : listDeviations(host),
    ...options,
  })
  const { baseUrl, openerUrl, apiKey } = sandbox
  const connect = (more: ShortLinkClientOptions = {}) =>
    new host.sdk.ShortLinkClient({
      baseUrl,
      openerUrl,
      apiKey,
      dangerouslyAllowBrowser: true,
      timeout: 10_000,
      ...more,
    })
  return { ...host, sandbox, connect, client: connect({ rateLimit: false }), dialect }
}

/**
 * Returns every deviation except those of `limit`, which change the number of requests, those that need client options
 * (a browser cannot send the cookie of the bot wall), and those that the client reports as errors.
 */
function listDeviations({ testing }: Host): Deviation[] {
  return (Object.keys(testing.deviations) as Deviation[]).filter(
    (name) => !/^(limit-|key-as-token$|key-raw$|alias-|count-too-high$)/.test(name),
  )
}
