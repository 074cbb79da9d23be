import { Address } from '../http/address.ts'
import { addressNames } from '../options.ts'
import type { ProxyOptions } from './options.ts'

/** The path below which the app-opener API is offered. */
const OPENER = '/opener'

/** Where a request goes. */
export interface Target {
  readonly url: string
  readonly isOpener: boolean
}

/** The addresses of the two APIs. What is missing is looked for in the environment at the first request. */
export class Targets {
  readonly #base: Address
  readonly #opener: Address

  /** @throws {ConfigurationError} if an address is invalid */
  constructor({ baseUrl, openerUrl, allowInsecureHttp = false }: ProxyOptions) {
    this.#base = new Address(addressNames.management, baseUrl, allowInsecureHttp)
    this.#opener = new Address(addressNames.opener, openerUrl, allowInsecureHttp)
  }

  /** @throws {ConfigurationError} if the address is missing */
  of(path: string): Target {
    return path.startsWith(`${OPENER}/`)
      ? { url: this.#opener.get() + path.slice(OPENER.length), isOpener: true }
      : { url: this.#base.get() + path, isOpener: false }
  }
}
