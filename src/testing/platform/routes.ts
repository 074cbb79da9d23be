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
  readonly method: string
  readonly endpoint: Endpoint
  readonly params: Record<string, string>
}

const endpoints: Endpoints = {
  'GET /account': ({ data }) => {
    const { password: _, ...account } = data.account
    return { error: 0, data: account }
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

/** The endpoints at a path of the management API, by their methods. `path` is relative to `baseUrl`, still escaped. */
export function routesAt(path: string): RouteMatch[] {
  return table.flatMap(({ route, method, pattern, endpoint }) => {
    const params = matchPath(pattern, path)
    return params ? [{ route, method, endpoint, params }] : []
  })
}

/** The methods that have an endpoint at this path. */
export function methodsAt(path: string): readonly string[] {
  if (path === '/v3/api') return ['POST']
  const exact = table.filter(({ pattern }) => pattern === path)
  // `/url/add` has the form of `/url/:id` too.
  return (exact.length > 0 ? exact : routesAt(path)).map(({ method }) => method)
}

/** The parameters of a path, unescaped, if it has the form of a pattern such as `/campaign/:id/update` or `/campaign/{id}/update`. */
export function matchPath(pattern: string, path: string): Record<string, string> | undefined {
  const segments = path.split('/')
  const names = pattern.split('/')
  if (names.length !== segments.length) return undefined
  const params: Record<string, string> = {}
  for (const [index, name] of names.entries()) {
    const segment = segments[index]!
    if (!/^[:{]/.test(name)) {
      if (name !== segment) return undefined
    } else if (segment === '') return undefined
    else params[name.slice(1)] = decode(segment)
  }
  return params
}

function decode(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    return value // a stray % stands for itself, as PHP has it
  }
}
