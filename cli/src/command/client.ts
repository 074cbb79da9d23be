import process from 'node:process'
import { isShortLinkError, ShortLinkClient, type ShortLinkClientOptions } from 'shortlink-sdk'
import { getErrorMessage, UsageError } from './command.ts'

/** The options of every command that calls the platform. */
export const clientArgs = {
  'base-url': { type: 'string', valueHint: 'url', description: 'the management API (SHORTLINK_BASE_URL)' },
  'allow-insecure-http': { type: 'boolean', description: 'send the key over http: to another machine' },
  header: {
    type: 'string',
    multiple: true,
    valueHint: "'name: value'",
    description: 'add a header to every request, such as a cookie; may be repeated',
  },
} as const

/** The name of a list of the client, such as `campaigns`. */
export type ListName = {
  [Name in keyof ShortLinkClient]: ShortLinkClient[Name] extends { list(): unknown } ? Name : never
}[keyof ShortLinkClient]

export const lists: readonly ListName[] = Object.entries(new ShortLinkClient()).flatMap(([name, resource]) =>
  typeof resource?.list === 'function' ? [name as ListName] : [],
)

/** The values of {@link clientArgs}. */
export interface ClientArgs {
  readonly 'base-url'?: string | undefined
  readonly 'allow-insecure-http'?: boolean | undefined
  readonly header?: readonly string[] | undefined
}

/**
 * Parses the values of `--header`.
 *
 * @throws {UsageError} if a header is not `Name: value`, or is the key; the message does not quote it, because it may be
 *   a secret
 */
export function parseHeaders({ header }: ClientArgs): [string, string][] {
  return (header ?? []).map((line) => {
    const [, name, value] = /^([!#$%&'*+.^_`|~\w-]+):\s*(\S.*)$/.exec(line) ?? []
    if (!name || !value) throw new UsageError("--header takes 'Name: value', such as 'Cookie: session=…'")
    if (name.toLowerCase() === 'authorization') {
      throw new UsageError(
        '--header does not accept Authorization: set SHORTLINK_API_KEY, and SHORTLINK_AUTH_SCHEME if the scheme is not Bearer',
      )
    }
    return [name, value]
  })
}

const getBaseUrl = (args: ClientArgs): string | undefined => args['base-url'] || process.env.SHORTLINK_BASE_URL

/** Returns whether the command has an address. */
export const hasBaseUrl = (args: ClientArgs): boolean => Boolean(getBaseUrl(args))

/** @throws {UsageError} if the address or the key is missing or invalid */
export function createClient(args: ClientArgs, options: ShortLinkClientOptions = {}): ShortLinkClient {
  const baseUrl = getBaseUrl(args)
  if (!baseUrl) throw new UsageError('no address: set SHORTLINK_BASE_URL, or use --base-url https://sho.rt/api')
  if (!process.env.SHORTLINK_API_KEY) throw new UsageError('no key: set SHORTLINK_API_KEY')
  return buildClient(args, { ...options, baseUrl })
}

/**
 * Creates a client for planning, which sends nothing: the address and the key may be missing. Without an address, it
 * has the default rate limit.
 *
 * @throws {UsageError} if the address is invalid
 */
export const createPlanningClient = (args: ClientArgs): ShortLinkClient =>
  buildClient(args, { baseUrl: getBaseUrl(args) || 'http://localhost' })

function buildClient(args: ClientArgs, options: ShortLinkClientOptions): ShortLinkClient {
  try {
    return new ShortLinkClient({
      ...options,
      allowInsecureHttp: args['allow-insecure-http'] ?? false,
      headers: parseHeaders(args),
      // The progress already shows waits for the rate limit.
      ...(process.env.SHORTLINK_LOG ? {} : { logLevel: 'error' }),
    })
  } catch (error) {
    throw isShortLinkError(error) ? new UsageError(nameFlags(getErrorMessage(error), args)) : error
  }
}

/** Replaces the names of client options in a message with the flag or variable that the user has set. */
function nameFlags(message: string, args: ClientArgs): string {
  const address = args['base-url'] ? '--base-url' : 'SHORTLINK_BASE_URL'
  return message.replace(/^baseUrl\b/, address).replace('allowInsecureHttp', '--allow-insecure-http')
}
