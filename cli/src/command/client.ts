import process from 'node:process'
import { ShortLinkClient } from '../../../src/client/client.ts'
import { parseAddress } from '../../../src/client/http/address.ts'
import type { ShortLinkClientOptions } from '../../../src/client/options.ts'
import { UsageError } from './command.ts'

/** The options of every command that calls the platform. */
export const clientArgs = {
  'base-url': { type: 'string', valueHint: 'url', description: 'the management API (SHORTLINK_BASE_URL)' },
  'allow-insecure-http': { type: 'boolean', description: 'send the key over http: to another machine' },
  header: {
    type: 'string',
    multiple: true,
    valueHint: "'name: value'",
    description: 'a header of every request, such as a cookie; may be repeated',
  },
} as const

/** These options, as the command line gives them. */
export interface ClientArgs {
  readonly 'base-url'?: string | undefined
  readonly 'allow-insecure-http'?: boolean | undefined
  readonly header?: readonly string[] | undefined
}

/**
 * The base URL of a command.
 * @throws {UsageError} if it or the key is missing
 * @throws {ConfigurationError} if it is invalid
 */
export function baseUrlOf(args: ClientArgs): string {
  const { SHORTLINK_BASE_URL, SHORTLINK_API_KEY } = process.env
  const name = args['base-url'] ? '--base-url' : 'SHORTLINK_BASE_URL'
  const address = args['base-url'] || SHORTLINK_BASE_URL
  if (!address) throw new UsageError('no address: set SHORTLINK_BASE_URL, or --base-url https://sho.rt/api')
  if (!SHORTLINK_API_KEY) throw new UsageError('no key: set SHORTLINK_API_KEY')
  return parseAddress(name, address, args['allow-insecure-http'] ?? false)
}

/**
 * The headers of `--header`.
 *
 * @throws {UsageError} if one is not `Name: value`, or is the key; it may be a secret, so it is not shown
 */
export function headerOptions({ header }: ClientArgs): [string, string][] {
  return (header ?? []).map((line) => {
    const [, name, value] = /^([!#$%&'*+.^_`|~\w-]+):\s*(\S.*)$/.exec(line) ?? []
    if (!name || !value) throw new UsageError("--header takes 'Name: value', such as 'Cookie: session=…'")
    if (name.toLowerCase() === 'authorization') {
      throw new UsageError(
        '--header takes no Authorization: set SHORTLINK_API_KEY, and SHORTLINK_AUTH_SCHEME for another word than Bearer',
      )
    }
    return [name, value]
  })
}

/**
 * The client of a command.
 *
 * @throws {UsageError} if its address or key is missing
 */
export function clientOf(args: ClientArgs, options: ShortLinkClientOptions = {}): ShortLinkClient {
  return new ShortLinkClient({
    ...options,
    baseUrl: baseUrlOf(args),
    allowInsecureHttp: args['allow-insecure-http'] ?? false,
    headers: headerOptions(args),
    // The progress says how long it takes.
    ...(process.env.SHORTLINK_LOG ? {} : { logLevel: 'error' }),
  })
}
