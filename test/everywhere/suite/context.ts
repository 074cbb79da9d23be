import type { ShortLinkClient, ShortLinkClientOptions } from 'shortlink-sdk'
import type { Deviation } from 'shortlink-sdk/testing'
import { type RemoteOptions, RemoteSandbox } from './remote-sandbox.ts'

/** The modules of the package, as they were loaded. */
export interface Package {
  sdk: typeof import('shortlink-sdk')
  testing: typeof import('shortlink-sdk/testing')
  proxy: typeof import('shortlink-sdk/proxy')
  schemas: typeof import('shortlink-sdk/schemas')
  tasks: typeof import('shortlink-cli')
}

/** What the runtime gives the suite. */
export interface Host extends Package {
  /** The address of the server that creates sandboxes. */
  control: string
  /** Writes bytes to a file and opens it as a user of this runtime would; absent where there are no files. */
  openFile?: (bytes: Uint8Array) => Promise<Blob>
  /** An address where nothing listens. */
  deadUrl: string
}

/** What a check is given: the package, its own sandbox, and a client of that. */
export interface CheckContext extends Host {
  sandbox: RemoteSandbox
  client: ShortLinkClient
  dialect: DialectName
  /** Creates another client of the same sandbox. */
  connect(options?: ShortLinkClientOptions): ShortLinkClient
}

/** Thrown by a check that this runtime cannot run; the message is the reason. */
export class Skip extends Error {}

/** The sandbox of a check: as in the reference, or with every deviation that needs no options and keeps page sizes. */
export type DialectName = 'reference' | 'deviating'

export type Check = (context: CheckContext) => Promise<void>

/** The checks of one column of the table. */
export interface Topic {
  name: string
  /** Options of the sandbox besides the dialect. */
  sandbox?: RemoteOptions
  /** Default: both. One is enough where the dialect changes nothing. */
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
    dialect: dialect === 'reference' ? dialect : deviationsOf(host),
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
 * Every deviation but those on `limit`, which change how many requests a walk takes, those that a client has to be told
 * of (a browser cannot send the cookie of the bot wall), and those that it reports as errors.
 */
function deviationsOf({ testing }: Host): Deviation[] {
  return (Object.keys(testing.deviations) as Deviation[]).filter(
    (name) => !/^(limit-|key-as-token$|key-raw$|alias-|count-too-high$)/.test(name),
  )
}
