import { listOf } from './list-check.ts'

const hostPattern = /^(\[[\da-f:.]+\]|[\w.-]+)(?::\d{1,5})?$/i

export const hostsCheck = listOf(
  "a list of hosts such as ['app.example', 'localhost:3000']",
  (host) => hostPattern.test(host),
  1,
)

/** Whether a request was made to one of the hosts of the `hosts` option. Without it, any host will do. */
export function hostMatcher(hosts: readonly string[] | undefined): (request: Request) => boolean {
  if (hosts === undefined) return () => true
  const known = new Set<string | undefined>(hosts.map((host) => host.toLowerCase()))
  return (request) => {
    // Some adapters make up the address of the request, but pass the header on as it came.
    const host = (request.headers.get('Host') ?? new URL(request.url).host).toLowerCase()
    return known.has(host) || known.has(hostPattern.exec(host)?.[1])
  }
}
