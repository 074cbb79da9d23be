import process from 'node:process'
import { isShortLinkError, ShortLinkClient, type ShortLinkClientOptions } from 'shortlink-sdk'
import { errorMessage, UsageError } from './command.ts'

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

/** The name of a list of the client, such as `campaigns`. */
export type ListName = {
  [Name in keyof ShortLinkClient]: ShortLinkClient[Name] extends { list(): unknown } ? Name : never
}[keyof ShortLinkClient]

/** The lists of the client. */
export const lists: readonly ListName[] = Object.entries(new ShortLinkClient()).flatMap(([name, resource]) =>
  typeof resource?.list === 'function' ? [name as ListName] : [],
)

/** These options, as the command line gives them. */
export interface ClientArgs {
  readonly 'base-url'?: string | undefined
  readonly 'allow-insecure-http'?: boolean | undefined
  readonly header?: readonly string[] | undefined
}

/**
 * Parses the headers of `--header`.
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

const baseUrlOf = (args: ClientArgs): string | undefined => args['base-url'] || process.env.SHORTLINK_BASE_URL

/**
 * Creates the client of a command.
 *
 * @throws {UsageError} if its address or key is missing or invalid
 */
export function clientOf(args: ClientArgs, options: ShortLinkClientOptions = {}): ShortLinkClient {
  const baseUrl = baseUrlOf(args)
  if (!baseUrl) throw new UsageError('no address: set SHORTLINK_BASE_URL, or --base-url https://sho.rt/api')
  if (!process.env.SHORTLINK_API_KEY) throw new UsageError('no key: set SHORTLINK_API_KEY')
  return createClient(args, { ...options, baseUrl })
}

/**
 * Creates a client for work that sends nothing: its address and its key may be missing. Without an address, it has the
 * usual rate limit.
 *
 * @throws {UsageError} if its address is invalid
 */
export const clientToPlan = (args: ClientArgs): ShortLinkClient =>
  createClient(args, { baseUrl: baseUrlOf(args) || 'http://localhost' })

function createClient(args: ClientArgs, options: ShortLinkClientOptions): ShortLinkClient {
  try {
    return new ShortLinkClient({
      ...options,
      allowInsecureHttp: args['allow-insecure-http'] ?? false,
      headers: headerOptions(args),
      // The progress shows the waits.
      ...(process.env.SHORTLINK_LOG ? {} : { logLevel: 'error' }),
    })
  } catch (error) {
    throw isShortLinkError(error) ? new UsageError(withFlags(errorMessage(error), args)) : error
  }
}

/** Names the options of the client in a message as the user knows them. */
function withFlags(message: string, args: ClientArgs): string {
  const address = args['base-url'] ? '--base-url' : 'SHORTLINK_BASE_URL'
  return message.replace(/^baseUrl\b/, address).replace('allowInsecureHttp', '--allow-insecure-http')
}
