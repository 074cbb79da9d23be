import process from 'node:process'
import { ShortLinkClient } from '../client.ts'
import { UsageError } from './command.ts'

/** The options of every command that calls the platform. */
export const clientArgs = {
  'base-url': { type: 'string', valueHint: 'url', description: 'the management API (SHORTLINK_BASE_URL)' },
  'allow-insecure-http': { type: 'boolean', description: 'send the key over http: to another machine' },
} as const

/** These options, as the command line gives them. */
export interface ClientArgs {
  readonly 'base-url'?: string | undefined
  readonly 'allow-insecure-http'?: boolean | undefined
}

/**
 * The address of a command's client, whose key is in the environment.
 *
 * @throws {UsageError} if one of them is missing
 */
export function requireClient(args: ClientArgs): string {
  const { SHORTLINK_BASE_URL, SHORTLINK_API_KEY } = process.env
  const baseUrl = args['base-url'] ?? SHORTLINK_BASE_URL
  if (!baseUrl) throw new UsageError('no address: set SHORTLINK_BASE_URL, or --base-url https://sho.rt/api')
  if (!SHORTLINK_API_KEY) throw new UsageError('no key: set SHORTLINK_API_KEY')
  return baseUrl
}

/**
 * The client of a command.
 *
 * @throws {UsageError} if its address or key is missing
 */
export function clientOf(args: ClientArgs): ShortLinkClient {
  return new ShortLinkClient({
    baseUrl: requireClient(args),
    ...(args['allow-insecure-http'] && { allowInsecureHttp: true }),
    // The progress says how long it takes.
    ...(process.env.SHORTLINK_LOG ? {} : { logLevel: 'error' }),
  })
}
