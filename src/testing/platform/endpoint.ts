import type { SandboxData, SandboxListName, Store } from './data.ts'
import { type ParameterCheck, parseParameters } from './parameters.ts'
import { PlatformRefusal, refuseIf } from './refusal.ts'

/** One request as an endpoint sees it. */
export interface EndpointCall {
  readonly store: Store
  readonly data: SandboxData
  /** Path parameters, unescaped. */
  readonly params: Record<string, string>
  readonly query: Record<string, string>
  /** The JSON of the body, or the bytes of an upload; `undefined` if there was no body. */
  readonly body: unknown
  /** The origin of the platform's own pages and short addresses, such as `https://sho.rt`. */
  readonly site: string
  /** The address of the app-opener API. */
  readonly openerUrl: string
  /** Compares two aliases, or two short addresses. */
  readonly isSameAlias: (one: string, other: string) => boolean
}

/** A response of the platform: its status and the JSON of its body. */
export interface JsonReply {
  status: number
  json: object
  headers: Record<string, string>
}

/** Does the work and returns the body of the response, or throws a {@link PlatformRefusal} and does nothing. */
export type Endpoint = (call: EndpointCall) => object

/** Endpoints by `METHOD /path`, as the reference writes them. */
export type Endpoints = Record<`${'GET' | 'POST' | 'PUT' | 'DELETE'} /${string}`, Endpoint>

/** Returns the requested page of `rows`, with the fields of the reference's envelope. */
export function createPage<Row extends object>(
  { query }: Pick<EndpointCall, 'query'>,
  listKey: string,
  rows: readonly Row[],
  getFields: (row: Row) => object = (row) => row,
): object {
  const perpage = parsePositive(query.limit) ?? 15
  const currentpage = parsePositive(query.page) ?? 1
  const maxpage = Math.max(1, Math.ceil(rows.length / perpage))
  return {
    result: rows.length,
    perpage,
    currentpage,
    nextpage: currentpage < maxpage ? currentpage + 1 : null,
    maxpage,
    [listKey]: rows.slice((currentpage - 1) * perpage, currentpage * perpage).map(getFields),
  }
}

/** Returns the response of every list except files: the page inside `data`, and `error` as a string. */
export function list<Row extends object>(...parameters: Parameters<typeof createPage<Row>>): object {
  return { error: '0', data: createPage(...parameters) }
}

/** Finds a row by its id, or refuses with 404. */
export function find<Row extends { id: number }>(rows: readonly Row[], id: string | undefined, what: string): Row {
  return requireRow(
    rows.find((row) => String(row.id) === id),
    what,
  )
}

/** Returns the row, or refuses with 404 if there is none. */
export function requireRow<Row>(row: Row | undefined, what: string): Row {
  if (row === undefined) throw new PlatformRefusal(404, `${what} does not exist.`)
  return row
}

/** Creates an endpoint that updates a row of a list with these parameters. */
export function update(
  list: SandboxListName,
  what: string,
  checks: Record<string, ParameterCheck<unknown>>,
  required: readonly string[] = [],
): Endpoint {
  return ({ data, params, body }) => {
    const row = find<{ id: number }>(data[list], params.id, what)
    Object.assign(row, parseParameters(body, checks, required))
    return { error: 0, message: `${what} has been updated successfully.` }
  }
}

/** Creates an endpoint that removes a row of a list. */
export function remove(list: SandboxListName, what: string): Endpoint {
  return ({ data, params }) => {
    const rows: { id: number }[] = data[list]
    rows.splice(rows.indexOf(find(rows, params.id, what)), 1)
    return { error: 0, message: `${what} has been deleted successfully.` }
  }
}

export function pick<Row, Name extends keyof Row>(row: Row, ...names: Name[]): Pick<Row, Name> {
  return Object.fromEntries(names.map((name) => [name, row[name]])) as Pick<Row, Name>
}

export function formatShortUrl({ domain, alias }: { domain: string; alias: string }): string {
  return `${domain}/${encodeURIComponent(alias)}`
}

/** Refuses an alias that another link, file, bio page or QR code on the same domain has. */
export function refuseTakenAlias(
  { data, isSameAlias }: EndpointCall,
  domain: string,
  alias: string | undefined,
  self?: object,
): void {
  const others = [...data.links, ...data.files, ...data.bios, ...data.qrs].filter((row) => row !== self)
  const isTaken = others.some((row) => row.domain === domain && isSameAlias(row.alias, alias ?? ''))
  refuseIf(isTaken, 'That alias is taken. Please choose another one.')
}

function parsePositive(value: string | undefined): number | undefined {
  return value !== undefined && /^[1-9]\d*$/.test(value) ? Number(value) : undefined
}
