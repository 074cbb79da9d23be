import type { LinkRow, SandboxData, Store } from '../data.ts'

/** One request as an endpoint sees it. */
export interface EndpointCall {
  readonly store: Store
  readonly data: SandboxData
  /** Path parameters, unescaped. */
  readonly params: Record<string, string>
  readonly query: Record<string, string>
  /** The JSON of the body; `undefined` if there was none. */
  readonly body: unknown
  /** The bytes of an upload (empty if they are not kept), and their number. */
  readonly content: Uint8Array<ArrayBuffer>
  readonly size: number
  /** Origin of the platform's own pages and short addresses, such as `https://sho.rt`. */
  readonly site: string
  /** Address of the app-opener API. */
  readonly openerUrl: string
  /** Whether two aliases, or two short addresses, are the same one. */
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

/** The platform refused, and did nothing. */
export class PlatformRefusal extends Error {
  readonly status: number
  readonly body: object

  /** The reference shows no HTTP status for errors: these are the usual ones. */
  constructor(status: number, message: string, body: object = { error: 1, message }) {
    super(message)
    this.status = status
    this.body = body
  }
}

/** The page of `rows` that the query asks for, with the fields of the reference's envelope. */
export function page<Row extends object>(
  { query }: Pick<EndpointCall, 'query'>,
  listKey: string,
  rows: readonly Row[],
  fieldsOf: (row: Row) => object = (row) => row,
): object {
  const perpage = positive(query.limit) ?? 15
  const currentpage = positive(query.page) ?? 1
  const maxpage = Math.max(1, Math.ceil(rows.length / perpage))
  return {
    result: rows.length,
    perpage,
    currentpage,
    nextpage: currentpage < maxpage ? currentpage + 1 : null,
    maxpage,
    [listKey]: rows.slice((currentpage - 1) * perpage, currentpage * perpage).map(fieldsOf),
  }
}

/** The response of every list except files: the page inside `data`, and `error` as a string. */
export function list<Row extends object>(...parameters: Parameters<typeof page<Row>>): object {
  return { error: '0', data: page(...parameters) }
}

/** Finds a row by its id, or refuses with 404. */
export function find<Row extends { id: number }>(rows: readonly Row[], id: string | undefined, what: string): Row {
  const row = rows.find((candidate) => String(candidate.id) === id)
  if (!row) throw new PlatformRefusal(404, `${what} does not exist.`)
  return row
}

/** Removes a row by its id, or refuses with 404. */
export function remove<Row extends { id: number }>(rows: Row[], id: string | undefined, what: string): Row {
  const row = find(rows, id, what)
  rows.splice(rows.indexOf(row), 1)
  return row
}

export function shortUrl({ domain, alias }: { domain: string; alias: string }): string {
  return `${domain}/${encodeURIComponent(alias)}`
}

/** Refuses an alias that another link, file, bio page or QR code at the same domain has. */
export function refuseTakenAlias(
  { data, isSameAlias }: EndpointCall,
  domain: string,
  alias: string | undefined,
  self?: LinkRow,
): void {
  if (alias === undefined) return
  const taken = [...data.links, ...data.files, ...data.bios, ...data.qrs]
  if (taken.some((row) => row !== self && row.domain === domain && isSameAlias(row.alias, alias))) {
    throw new PlatformRefusal(400, 'That alias is taken. Please choose another one.')
  }
}

function positive(value: string | undefined): number | undefined {
  return value !== undefined && /^[1-9]\d*$/.test(value) ? Number(value) : undefined
}
