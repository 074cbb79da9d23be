import type { EndpointCall, JsonReply } from '../platform/endpoint.ts'

/** A JSON object that is being changed. */
export type JsonFields = Record<string, unknown>

/** One way in which a deployment differs from the reference. */
export interface DeviationRule {
  /** A sentence that describes it. */
  readonly says: string
  /** Deviations with the same topic exclude each other: each endpoint has one of those that were asked for. */
  readonly topic?: string
  /** Changes the query, or throws a `PlatformRefusal`. */
  readonly query?: (query: Record<string, string>) => Record<string, string>
  /** Changes an answer, be it a success or a refusal. */
  readonly reply?: (reply: JsonReply, route: string, call: EndpointCall) => JsonReply
  /** Changes the rate headers. */
  readonly rateHeaders?: (headers: Record<string, string>) => Record<string, string>
}

type Change = (json: JsonFields, call: EndpointCall, route: string) => JsonFields

/** Changes every success. */
export function success(change: Change): NonNullable<DeviationRule['reply']> {
  return (reply, route, call) =>
    reply.status >= 400 ? reply : { ...reply, json: change({ ...reply.json }, call, route) }
}

/** Changes the successes of these endpoints. */
export function successOf(changes: Record<string, Change>): NonNullable<DeviationRule['reply']> {
  return success((json, call, route) => changes[route]?.(json, call, route) ?? json)
}

/** Changes every refusal. */
export function refusal(
  change: (reply: JsonReply & { json: JsonFields }) => JsonReply,
): NonNullable<DeviationRule['reply']> {
  return (reply) => (reply.status < 400 ? reply : change({ ...reply, json: { ...reply.json } }))
}

/** The object under a key; empty if there is none. */
export function inside(json: JsonFields, key: string): JsonFields {
  return { ...(json[key] as object | undefined) }
}

/** Changes each row of a list whose page is in `data`. */
export function eachRow(listKey: string, change: (row: JsonFields) => JsonFields): Change {
  return (json) => {
    const data = inside(json, 'data')
    const rows = data[listKey] as JsonFields[] | undefined
    return rows ? { ...json, data: { ...data, [listKey]: rows.map(change) } } : json
  }
}

/**
 * Changes every value of an answer, except its `error`, from the inside out. `mixed` is true in every second row of a
 * list, and in answers to POST.
 */
export function everyValue(change: (value: unknown, key: string, mixed: boolean) => unknown): Change {
  return ({ error, ...json }, _, route) => {
    const walk = (value: unknown, key: string, mixed: boolean): unknown => {
      const inner = Array.isArray(value)
        ? value.map((item, index) => walk(item, key, index % 2 === 1))
        : typeof value === 'object' && value !== null
          ? Object.fromEntries(Object.entries(value).map(([name, item]) => [name, walk(item, name, mixed)]))
          : value
      return change(inner, key, mixed)
    }
    const changed = walk(json, '', route.startsWith('POST')) as JsonFields
    return error === undefined ? changed : { error, ...changed }
  }
}
