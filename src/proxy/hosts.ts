import { ConfigurationError } from '../errors.ts'
import { mismatch, shown } from '../schema/expected.ts'

const hostPattern = /^(\[[\da-f:.]+\]|[\w.-]+)(?::\d{1,5})?$/i

/** Parses the `hosts` option. Returns whether a request was made to one of the hosts. */
export function hostCheck(hosts: readonly string[] | undefined): (request: Request) => boolean {
  if (hosts === undefined) return () => true
  const isList = Array.isArray(hosts) && hosts.length > 0
  const wrong = isList ? hosts.find((host) => typeof host !== 'string' || !hostPattern.test(host)) : hosts
  if (!isList || wrong !== undefined) {
    throw new ConfigurationError(
      `hosts: ${mismatch("a list of hosts such as ['app.example', 'localhost:3000']", wrong, shown)}`,
    )
  }
  const known = new Set(hosts.map((host) => host.toLowerCase()))
  return (request) => {
    // Some adapters make up the address of the request, but pass the header on as it came.
    const host = (request.headers.get('Host') ?? new URL(request.url).host).toLowerCase()
    const [, name] = hostPattern.exec(host) ?? []
    return name !== undefined && (known.has(host) || known.has(name))
  }
}
