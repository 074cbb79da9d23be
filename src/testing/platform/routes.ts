import type { Endpoint, Endpoints } from './endpoint.ts'
import { account } from './endpoints/account.ts'
import { campaigns } from './endpoints/campaigns.ts'
import { channels } from './endpoints/channels.ts'
import { domains } from './endpoints/domains.ts'
import { files } from './endpoints/files.ts'
import { links } from './endpoints/links.ts'
import { lists } from './endpoints/lists.ts'
import { opener } from './endpoints/opener.ts'
import { pixels } from './endpoints/pixels.ts'
import { qr } from './endpoints/qr.ts'
import type { SandboxRequest } from './request-log.ts'

/** An endpoint found for a request. */
export interface RouteMatch {
  /** As the reference writes it, such as `PUT /campaign/:id/update`. */
  readonly route: string
  readonly method: string
  readonly endpoint: Endpoint
  readonly params: Record<string, string>
}

const management = {
  ...account,
  ...lists,
  ...domains,
  ...campaigns,
  ...channels,
  ...files,
  ...links,
  ...pixels,
  ...qr,
} satisfies Endpoints

const apis: Readonly<Record<'management' | 'opener', Endpoints>> = { management, opener }

/** The calls of each API, as the reference writes them. A test compares them with the client. */
export type Route<Api extends 'management' | 'opener'> = keyof (Api extends 'opener'
  ? typeof opener
  : typeof management)

const table = Object.entries(apis).flatMap(([api, endpoints]) =>
  Object.entries(endpoints).map(([route, endpoint]) => {
    const [method, pattern] = route.split(' ') as [string, string]
    return { api, route, method, pattern, endpoint }
  }),
)

/** The paths of all endpoints, as the reference writes them. */
export const endpointPaths: readonly string[] = [...new Set(table.map(({ pattern }) => pattern))]

/** Finds the endpoints at a path of an API, one for each method. `path`: relative to its address, still escaped. */
export function findRoutes(api: SandboxRequest['api'], path: string): RouteMatch[] {
  return table.flatMap(({ api: at, route, method, pattern, endpoint }) => {
    const params = at === api ? matchPath(pattern, path) : undefined
    return params ? [{ route, method, endpoint, params }] : []
  })
}

/** Finds the methods that have an endpoint at this path. */
export function findMethods(path: string): readonly string[] {
  const exact = table.filter(({ pattern }) => pattern === path)
  // `/url/add` has the form of `/url/:id` too.
  return (exact.length > 0 ? exact : findRoutes('management', path)).map(({ method }) => method)
}

/**
 * Returns the unescaped parameters of a path, if it matches a pattern such as `/campaign/:id/update` or
 * `/campaign/{id}/update`.
 */
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

/** Decodes percent-encoding, if it is valid. */
export function decode(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    return value // PHP keeps a stray % too
  }
}
