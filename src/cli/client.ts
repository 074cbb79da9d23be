import process from 'node:process'
import { ShortLinkClient } from '../client.ts'
import { parseAddress } from '../http/address.ts'
import { ApiKey } from '../http/api-key.ts'
import { repeated, UsageError } from './command.ts'

/** The options of every command that calls the platform. */
export const clientArgs = {
  'base-url': { type: 'string', valueHint: 'url', description: 'the management API (SHORTLINK_BASE_URL)' },
  'allow-insecure-http': { type: 'boolean', description: 'send the key over http: to another machine' },
  header: {
    type: 'string',
    valueHint: "'name: value'",
    description: 'a header of every request, such as a cookie; may be repeated',
  },
} as const

/** These options, as the command line gives them. */
export interface ClientArgs {
  readonly 'base-url'?: string | undefined
  readonly 'opener-url'?: string | undefined
  readonly 'allow-insecure-http'?: boolean | undefined
  readonly header?: string | undefined
}

/** @throws {UsageError} if the address of a command's client, or its key, is missing */
export function requireClient(args: ClientArgs): void {
  const { SHORTLINK_BASE_URL, SHORTLINK_API_KEY } = process.env
  if (!args['base-url'] && !SHORTLINK_BASE_URL) {
    throw new UsageError('no address: set SHORTLINK_BASE_URL, or --base-url https://sho.rt/api')
  }
  if (!SHORTLINK_API_KEY) throw new UsageError('no key: set SHORTLINK_API_KEY')
}

/**
 * An address from its option, or else from its variable.
 *
 * @throws {ConfigurationError} that names the one that is invalid
 */
export function addressOf(
  args: ClientArgs,
  option: 'base-url' | 'opener-url',
  variable: 'SHORTLINK_BASE_URL' | 'SHORTLINK_OPENER_URL',
): string | undefined {
  const [name, given] = args[option] ? [`--${option}`, args[option]] : [variable, process.env[variable]]
  const key = new ApiKey(process.env.SHORTLINK_API_KEY || undefined, undefined)
  return given ? parseAddress(name, given, args['allow-insecure-http'] ?? false, (text) => key.redact(text)) : undefined
}

/**
 * The headers of `--header`.
 *
 * @throws {UsageError} if one is not `Name: value`; it may be a secret, so it is not shown
 */
export function headersOf({ header }: ClientArgs): [string, string][] {
  return repeated(header).map((line) => {
    const [, name, value] = /^([!#$%&'*+.^_`|~\w-]+):\s*(\S.*)$/.exec(line) ?? []
    if (!name || !value) throw new UsageError("--header takes 'Name: value', such as 'Cookie: session=…'")
    return [name, value]
  })
}

/**
 * The client of a command.
 *
 * @throws {UsageError} if its address or key is missing
 */
export function clientOf(args: ClientArgs): ShortLinkClient {
  requireClient(args)
  return new ShortLinkClient({
    baseUrl: addressOf(args, 'base-url', 'SHORTLINK_BASE_URL'),
    allowInsecureHttp: args['allow-insecure-http'] ?? false,
    headers: headersOf(args),
    // The progress says how long it takes.
    ...(process.env.SHORTLINK_LOG ? {} : { logLevel: 'error' }),
  })
}
