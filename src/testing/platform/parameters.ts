import { PlatformRefusal } from './endpoint.ts'

/** Returns the value as it is stored, or refuses it. */
type ParameterCheck<Value> = (value: unknown, name: string) => Value

type Checked<Checks, Required extends keyof Checks> = {
  [Name in Required]: Checks[Name] extends ParameterCheck<infer Value> ? Value : never
} & { [Name in Exclude<keyof Checks, Required>]?: Checks[Name] extends ParameterCheck<infer Value> ? Value : never }

/** Checks the parameters of a request and returns those that are present. Required ones may not be absent or empty. */
export function given<
  Checks extends Record<string, ParameterCheck<unknown>>,
  Required extends keyof Checks & string = never,
>(from: unknown, checks: Checks, required: readonly Required[] = []): Checked<Checks, Required> {
  if (from !== undefined && !isFields(from)) throw new PlatformRefusal(400, 'The body must be a JSON object.')
  const values: Record<string, unknown> = {}
  for (const [name, check] of Object.entries(checks)) {
    const value = from?.[name]
    if (value !== undefined) values[name] = check(value, name)
  }
  for (const name of required) {
    if (values[name] === undefined || values[name] === '')
      throw new PlatformRefusal(400, `The parameter ${name} is required.`)
  }
  return values as Checked<Checks, Required>
}

function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export const text: ParameterCheck<string> = (value, name) => {
  if (value === null) return ''
  if (typeof value !== 'string') throw new PlatformRefusal(400, `The parameter ${name} must be a string.`)
  return value
}

export const flag: ParameterCheck<boolean> = (value, name) => {
  if (typeof value !== 'boolean') throw new PlatformRefusal(400, `The parameter ${name} must be true or false.`)
  return value
}

/** A text that matches a pattern, or an empty one. */
function formed(form: RegExp, says: string): ParameterCheck<string> {
  return (value, name) => {
    const written = text(value, name)
    if (written !== '' && !form.test(written)) throw new PlatformRefusal(400, `The parameter ${name} must be ${says}.`)
    return written
  }
}

export const email = formed(/^[^@\s]+@[^@\s]+$/, 'an e-mail address')
export const hexColor = formed(/^#[0-9a-f]{6}$/i, 'a colour such as #RRGGBB')
export const rgbColor = formed(/^rgb\(\s*\d{1,3}\s*,\s*\d{1,3}\s*,\s*\d{1,3}\s*\)$/, 'a colour such as rgb(R,G,B)')
export const date = formed(/^\d{4}-\d{2}-\d{2}$/, 'a date such as YYYY-MM-DD')
export const dateTime = formed(/^\d{4}-\d{2}-\d{2}( \d{2}:\d{2}:\d{2})?$/, 'a time such as YYYY-MM-DD HH:MM:SS')
export const webAddress = formed(/^https?:\/\/[^/\s]+/i, 'an address with http or https')

/** A domain of short addresses, with its scheme or without it. */
export const host: ParameterCheck<string> = (value, name) => {
  const domain = text(value, name).replace(/\/+$/, '')
  return domain === '' || /^https?:\/\//.test(domain) ? domain : `https://${domain}`
}

/** An address, or `null` or `''` to remove it. */
export const redirect: ParameterCheck<string | null> = (value, name) =>
  value === null ? null : webAddress(value, name)

export const count: ParameterCheck<number> = (value, name) => {
  if (!/^\d+$/.test(String(value))) throw new PlatformRefusal(400, `The parameter ${name} must be a number.`)
  return Number(value)
}

export const id: ParameterCheck<number> = (value, name) => {
  if (!/^[1-9]\d*$/.test(String(value))) throw new PlatformRefusal(400, `The parameter ${name} must be an id.`)
  return Number(value)
}

export const ids: ParameterCheck<number[]> = (value, name) => {
  if (!Array.isArray(value)) throw new PlatformRefusal(400, `The parameter ${name} must be a list of ids.`)
  return value.map((item) => id(item, name))
}

export const fields: ParameterCheck<Record<string, unknown>> = (value, name) => {
  if (!isFields(value)) throw new PlatformRefusal(400, `The parameter ${name} must be an object.`)
  return value
}

/** A list of objects with a string under each of these keys. */
export function listOf<Key extends string>(...keys: Key[]): ParameterCheck<Record<Key, string>[]> {
  const fits = (item: unknown) => isFields(item) && keys.every((key) => typeof item[key] === 'string')
  return (value, name) => {
    if (Array.isArray(value) && value.every(fits)) return value
    throw new PlatformRefusal(400, `The parameter ${name} must be a list of objects with ${keys.join(' and ')}.`)
  }
}

export function oneOf<const Value extends string>(...values: Value[]): ParameterCheck<Value> {
  return (value, name) => {
    const known = values.find((candidate) => candidate === value)
    if (known === undefined)
      throw new PlatformRefusal(400, `The parameter ${name} must be one of: ${values.join(', ')}.`)
    return known
  }
}
