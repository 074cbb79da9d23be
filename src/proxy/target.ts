import { ConfigurationError } from '../errors.ts'
import { parseAddress } from '../http/address.ts'
import { environment } from '../runtime/environment.ts'
import type { AllowList } from './allow.ts'
import type { ProxyOptions } from './options.ts'

/** The path below which the app-opener API is offered. */
const OPENER = '/opener'

/** Where a request goes. */
export interface Target {
  readonly url: string
  readonly isOpener: boolean
}

/** The addresses of the two APIs. */
export class Targets {
  readonly #base: string
  readonly #opener: string | undefined

  /** @throws {ConfigurationError} for an address that is missing or does not fit */
  constructor(options: ProxyOptions, allow: AllowList) {
    const { allowInsecureHttp = false } = options
    const baseUrl = options.baseUrl ?? requiredVariable('baseUrl', 'SHORTLINK_BASE_URL')
    const openerUrl = options.openerUrl ?? environment('SHORTLINK_OPENER_URL')
    this.#base = parseAddress('baseUrl', baseUrl, allowInsecureHttp)
    this.#opener = openerUrl === undefined ? undefined : parseAddress('openerUrl', openerUrl, allowInsecureHttp)
    if (!this.#opener && allow.hasCallBelow(OPENER)) {
      throw new ConfigurationError(
        `openerUrl: is missing, but allow lists a call below ${OPENER}: set the option or SHORTLINK_OPENER_URL`,
      )
    }
  }

  of(path: string): Target {
    return this.#opener && path.startsWith(`${OPENER}/`)
      ? { url: this.#opener + path.slice(OPENER.length), isOpener: true }
      : { url: this.#base + path, isOpener: false }
  }
}

/** The value of a variable that stands in for a missing option. */
export function requiredVariable(option: string, variable: string): string {
  const value = environment(variable)
  if (value === undefined) {
    throw new ConfigurationError(`${option} is missing: set the option or the variable ${variable}`)
  }
  return value
}
