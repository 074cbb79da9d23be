import type { Endpoint, Endpoints } from './call.ts'
import { account } from './resources/account.ts'
import { campaigns } from './resources/campaigns.ts'
import { channels } from './resources/channels.ts'
import { domains } from './resources/domains.ts'
import { files } from './resources/files.ts'
import { links } from './resources/links.ts'
import { overlays } from './resources/overlays.ts'
import { pixels } from './resources/pixels.ts'
import { qr } from './resources/qr.ts'
import { splash } from './resources/splash.ts'

/** An endpoint found for a request. */
export interface Match {
  /** As the reference writes it, such as `PUT /campaign/:id/update`. */
  readonly route: string
  readonly endpoint: Endpoint
  readonly params: Record<string, string>
}

const endpoints: Endpoints = {
  ...account,
  ...domains,
  ...overlays,
  ...campaigns,
  ...channels,
  ...splash,
  ...files,
  ...links,
  ...pixels,
  ...qr,
}

const table = Object.entries(endpoints).map(([route, endpoint]) => {
  const [method, path] = route.split(' ') as [string, string]
  return { route, method, pattern: pathPattern(path), endpoint }
})

/** Where a request of the management API goes; `path` is below `baseUrl`, still escaped. */
export function match(method: string, path: string): Match | undefined {
  for (const row of table) {
    const found = row.method === method && row.pattern.exec(path)
    if (found) return { route: row.route, endpoint: row.endpoint, params: unescaped(found.groups ?? {}) }
  }
  return undefined
}

/** Whether another method would find an endpoint there. */
export function knowsPath(path: string): boolean {
  return table.some(({ pattern }) => pattern.test(path))
}

/** `/campaign/:id/update` as a pattern: a parameter is one step of the path. */
export function pathPattern(path: string): RegExp {
  const literal = path.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  return new RegExp(`^${literal.replace(/:(\w+)/g, '(?<$1>[^/]+)')}$`)
}

function unescaped(params: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(params).map(([name, value]) => [name, decode(value)]))
}

function decode(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    return value // a stray % stands for itself, as PHP has it
  }
}
