import { type Endpoint, type Endpoints, list } from './endpoint.ts'
import { campaigns } from './endpoints/campaigns.ts'
import { channels } from './endpoints/channels.ts'
import { domains } from './endpoints/domains.ts'
import { files } from './endpoints/files.ts'
import { links } from './endpoints/links.ts'
import { pixels } from './endpoints/pixels.ts'
import { qr } from './endpoints/qr.ts'
import { email, given, text } from './parameters.ts'

/** An endpoint found for a request. */
export interface RouteMatch {
  /** As the reference writes it, such as `PUT /campaign/:id/update`. */
  readonly route: string
  readonly endpoint: Endpoint
  readonly params: Record<string, string>
}

const endpoints: Endpoints = {
  'GET /account': ({ data }) => {
    const { id, email, username, avatar, status, expires, registered } = data.account
    return { error: 0, data: { id, email, username, avatar, status, expires, registered } }
  },

  'PUT /account/update': ({ data, body }) => {
    Object.assign(data.account, given(body, { email, password: text }))
    return { error: 0, message: 'Account has been successfully updated.' }
  },

  ...domains,
  'GET /overlay': (call) => list(call, 'cta', call.data.overlays),
  ...campaigns,
  ...channels,
  'GET /splash': (call) => list(call, 'splash', call.data.splash),
  ...files,
  ...links,
  ...pixels,
  ...qr,
}

const table = Object.entries(endpoints).map(([route, endpoint]) => {
  const [method, path] = route.split(' ') as [string, string]
  return { route, method, pattern: pathPattern(path), endpoint }
})

/** Finds the endpoint for a request to the management API. `path` is relative to `baseUrl`, still escaped. */
export function findRoute(method: string, path: string): RouteMatch | undefined {
  for (const row of table) {
    const found = row.method === method && row.pattern.exec(path)
    if (found) return { route: row.route, endpoint: row.endpoint, params: unescaped(found.groups ?? {}) }
  }
  return undefined
}

/** Whether any method has an endpoint at this path. */
export function knowsPath(path: string): boolean {
  return table.some(({ pattern }) => pattern.test(path))
}

/** Turns `/campaign/:id/update` into a pattern. A parameter matches one segment. */
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
