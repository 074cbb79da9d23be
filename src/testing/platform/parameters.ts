import { PlatformRefusal, refuseIf } from './refusal.ts'

/** Returns the value as it is stored, or refuses it. */
export type ParameterCheck<Value> = (value: unknown, name: string) => Value

type Checked<Checks, Required extends keyof Checks> = {
  [Name in Required]: Checks[Name] extends ParameterCheck<infer Value> ? Value : never
} & { [Name in Exclude<keyof Checks, Required>]?: Checks[Name] extends ParameterCheck<infer Value> ? Value : never }

/** Checks the parameters of a request and returns those that are present. Required ones must not be absent or empty. */
export function parseParameters<
  Checks extends Record<string, ParameterCheck<unknown>>,
  Required extends keyof Checks & string = never,
>(from: unknown, checks: Checks, required: readonly Required[] = []): Checked<Checks, Required> {
  const sent = from === undefined ? {} : toRecord(from)
  if (sent === undefined) throw new PlatformRefusal(400, 'The body must be a JSON object.')
  const values: Record<string, unknown> = {}
  for (const [name, check] of Object.entries(checks)) {
    if (sent[name] !== undefined) values[name] = check(sent[name], name)
  }
  for (const name of required) refuseIf((values[name] ?? '') === '', `The parameter ${name} is required.`)
  return values as Checked<Checks, Required>
}

/** Creates a check that refuses a value if `read` returns `undefined` for it. */
function createCheck<Value>(expected: string, read: (value: unknown) => Value | undefined): ParameterCheck<Value> {
  return (value, name) => {
    const accepted = read(value)
    if (accepted === undefined) throw new PlatformRefusal(400, `The parameter ${name} must be ${expected}.`)
    return accepted
  }
}

function toRecord(value: unknown): Record<string, unknown> | undefined {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject ? (value as Record<string, unknown>) : undefined
}

/** A text that matches a pattern, or an empty one. `null` counts as empty. */
function textMatching(pattern: RegExp, expected: string): ParameterCheck<string> {
  return createCheck(expected, (value) => {
    const input = value ?? ''
    return typeof input === 'string' && (input === '' || pattern.test(input)) ? input : undefined
  })
}

/** A whole number, or a string of its digits. */
function digits(pattern: RegExp, expected: string): ParameterCheck<number> {
  return createCheck(expected, (value) => (pattern.test(String(value)) ? Number(value) : undefined))
}

export const text = textMatching(/^/, 'a string')
export const email = textMatching(/^[^@\s]+@[^@\s]+$/, 'an e-mail address')
export const hexColor = textMatching(/^#[0-9a-f]{6}$/i, 'a color such as #RRGGBB')
export const rgbColor = textMatching(/^rgb\(\s*\d{1,3}\s*,\s*\d{1,3}\s*,\s*\d{1,3}\s*\)$/, 'a color such as rgb(R,G,B)')
export const date = textMatching(/^\d{4}-\d{2}-\d{2}$/, 'a date such as YYYY-MM-DD')
export const dateTime = textMatching(/^\d{4}-\d{2}-\d{2}( \d{2}:\d{2}:\d{2})?$/, 'a time such as YYYY-MM-DD HH:MM:SS')
export const webAddress = textMatching(/^https?:\/\/[^/\s]+/i, 'an address with http or https')
export const address = textMatching(/^(?!https?:(?!\/\/[^/\s]))[a-z][a-z\d+.-]*:./i, 'an address with its scheme')
export const count = digits(/^\d+$/, 'a number')
export const id = digits(/^[1-9]\d*$/, 'an id')
export const flag = createCheck('true or false', (value) => (typeof value === 'boolean' ? value : undefined))
export const fields = createCheck('an object', toRecord)

export const ids = createCheck('a list of ids', (value) => {
  const areIds = Array.isArray(value) && value.every((item) => /^[1-9]\d*$/.test(String(item)))
  return areIds ? value.map(Number) : undefined
})

/** A domain of short addresses, with or without a scheme. */
export const host: ParameterCheck<string> = (value, name) => {
  const domain = text(value, name).replace(/\/+$/, '')
  return domain === '' || /^https?:\/\//.test(domain) ? domain : `https://${domain}`
}

/** A list of objects with a string under each of these keys. */
export function listOf<Key extends string>(...keys: Key[]): ParameterCheck<Record<Key, string>[]> {
  const hasKeys = (item: unknown) => keys.every((key) => typeof toRecord(item)?.[key] === 'string')
  return createCheck(`a list of objects with ${keys.join(' and ')}`, (value) =>
    Array.isArray(value) && value.every(hasKeys) ? value : undefined,
  )
}

export function oneOf<const Value extends string>(...values: Value[]): ParameterCheck<Value> {
  return createCheck(`one of: ${values.join(', ')}`, (value) => values.find((known) => known === value))
}
