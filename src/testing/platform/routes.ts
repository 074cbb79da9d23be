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
  const [method, pattern] = route.split(' ') as [string, string]
  return { route, method, pattern, endpoint }
})

/** The paths of all endpoints, as the reference writes them. */
export const endpointPaths: readonly string[] = ['/v3/api', ...new Set(table.map(({ pattern }) => pattern))]

/** Finds the endpoint for a request to the management API. `path` is relative to `baseUrl`, still escaped. */
export function findRoute(method: string, path: string): RouteMatch | undefined {
  for (const { route, method: wanted, pattern, endpoint } of table) {
    const params = wanted === method ? matchPath(pattern, path) : undefined
    if (params) return { route, endpoint, params }
  }
  return undefined
}

/** Whether any method has an endpoint at this path. */
export function knowsPath(path: string): boolean {
  return table.some(({ pattern }) => matchPath(pattern, path))
}

/** The methods that have an endpoint at this path. */
export function methodsAt(path: string): readonly string[] {
  if (path === '/v3/api') return ['POST']
  const exact = table.filter(({ pattern }) => pattern === path)
  // `/url/add` has the form of `/url/:id` too.
  return (exact.length ? exact : table.filter(({ pattern }) => matchPath(pattern, path))).map(({ method }) => method)
}

/** The parameters of a path, unescaped, if it has the form of a pattern such as `/campaign/:id/update`. */
export function matchPath(pattern: string, path: string): Record<string, string> | undefined {
  const segments = path.split('/')
  const names = pattern.split('/')
  const fits = (name: string, index: number) => (isParameter(name) ? segments[index] !== '' : name === segments[index])
  if (names.length !== segments.length || !names.every(fits)) return undefined
  const params = names.flatMap((name, index) => (isParameter(name) ? [[name.slice(1), decode(segments[index]!)]] : []))
  return Object.fromEntries(params)
}

function isParameter(name: string): boolean {
  return name.startsWith(':')
}

function decode(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    return value // a stray % stands for itself, as PHP has it
  }
}
