import { type DeviationRule, type KeyScheme, rules } from './deviations.ts'
import type { EndpointCall, JsonReply } from './endpoint.ts'

/** The behavior of a sandbox: like the reference, like most servers, or with these deviations. */
export type SandboxDialect = 'reference' | 'deployed' | readonly Deviation[]

/**
 * The deviations from the reference that a sandbox can have, each with a description.
 *
 * @example
 * import { createSandbox, type Deviation, deviations } from 'shortlink-sdk/testing'
 * // Test against all of them at once:
 * const sandbox = createSandbox({ dialect: Object.keys(deviations) as Deviation[] })
 * console.log(sandbox.dialect.length)
 */
export const deviations = listSentences(rules)

/** The name of one way in which servers differ from the reference. See {@link deviations}. */
export type Deviation = keyof typeof deviations

/** The common deviations. Lists stay arrays, and `error` is a number. */
const deployed: readonly Deviation[] = [
  'extra-keys',
  'nextpage-repeats',
  'ids-sometimes-strings',
  'empty-maps-as-lists',
  'error-as-number',
  'error-as-status',
  'refusals-in-200',
]

/** Applies the deviations of a sandbox to its requests and responses. The endpoints implement the reference only. */
export class Dialect {
  readonly authScheme: KeyScheme
  readonly #rules: readonly DeviationRule[]

  constructor(dialect: SandboxDialect) {
    const names: readonly string[] = dialect === 'reference' ? [] : dialect === 'deployed' ? deployed : dialect
    this.#rules = Object.entries(rules).flatMap(([name, rule]) => (names.includes(name) ? [rule] : []))
    this.authScheme = this.#rules.find(({ authScheme }) => authScheme)?.authScheme ?? 'Bearer'
  }

  hasKey({ headers }: Request, apiKey: string): boolean {
    const sent = headers.get('Authorization') ?? ''
    if (this.authScheme === 'raw') return sent === apiKey
    const [, scheme, key] = /^(\S+) (.*)$/.exec(sent) ?? []
    return scheme?.toLowerCase() === this.authScheme.toLowerCase() && key === apiKey
  }

  /** Returns the response of a deviation instead of the endpoint's, if there is one. */
  respondInstead(route: string, call: EndpointCall): object | undefined {
    return this.#rules.map((rule) => rule.instead?.(route, call)).find((response) => response !== undefined)
  }

  /** Returns the query as the platform reads it. */
  changeQuery(query: Record<string, string>): Record<string, string> {
    return this.#rules.reduce((read, rule) => rule.query?.(read) ?? read, query)
  }

  /** Returns the JSON of a body as the platform reads it. */
  changeBody(route: string, body: unknown): unknown {
    return this.#rules.reduce((read, rule) => (rule.body ? rule.body(read, route) : read), body)
  }

  /** Compares two aliases, or two short addresses. */
  isSameAlias(one: string, other: string): boolean {
    return one === other || this.#rules.some(({ isSameAlias }) => isSameAlias?.(one, other))
  }

  /** Rewrites a response of the reference. */
  changeReply(route: string, { json, ...reply }: JsonReply, call: EndpointCall): JsonReply {
    const copy = { ...reply, json: JSON.parse(JSON.stringify(json)) }
    for (const rule of this.#rules) rule.reply?.(copy, route, call)
    return copy
  }

  changeRateHeaders(headers: Record<string, string>): Record<string, string> {
    return this.#rules.reduce((sent, rule) => rule.rateHeaders?.(sent) ?? sent, headers)
  }
}

/** Reduces the table to names and sentences, so that the published types contain only the names. */
function listSentences<Name extends string>(table: Record<Name, DeviationRule>): Readonly<Record<Name, string>> {
  const entries = Object.entries<DeviationRule>(table).map(([name, { sentence }]) => [name, sentence])
  return Object.freeze(Object.fromEntries(entries))
}
