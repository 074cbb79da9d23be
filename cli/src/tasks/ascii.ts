/** Support for servers that accept only ASCII addresses. */
import { normalizeUrl } from '../addresses.ts'
import { isRefusal } from './row-errors.ts'
import type { RowParams } from './rows.ts'

type Addresses = Pick<RowParams, 'url' | 'geotarget' | 'devicetarget' | 'languagetarget'>

/**
 * Sends addresses unchanged. If the server refuses one with spaces or non-ASCII characters, sends it percent-encoded.
 */
export class AsciiFallback {
  /** Whether the server refused an address and then accepted its ASCII form. */
  #isAsciiOnly = false

  async send<Params extends Addresses, Response>(
    params: Params,
    send: (params: Params) => Promise<Response>,
  ): Promise<Response> {
    const encoded = encodeAddresses(params)
    if (!encoded) return send(params)
    if (this.#isAsciiOnly) return send(encoded)
    try {
      return await send(params)
    } catch (error) {
      if (!isRefusal(error)) throw error
      const response = await send(encoded)
      this.#isAsciiOnly = true
      return response
    }
  }
}

/** Percent-encodes the addresses of parameters. Returns `undefined` if they are ASCII already. */
function encodeAddresses<Params extends Addresses>(params: Params): Params | undefined {
  const { url, geotarget, devicetarget, languagetarget } = params
  const targets = Object.entries({ geotarget, devicetarget, languagetarget }).flatMap(([name, list]) =>
    list ? [[name, list.map((target) => ({ ...target, link: encodeUrl(target.link) }))]] : [],
  )
  const changed = { ...params, url: encodeUrl(url), ...Object.fromEntries(targets) }
  return JSON.stringify(changed) === JSON.stringify(params) ? undefined : changed
}

const encodeUrl = (url: string): string => (/[^!-~]/.test(url) ? normalizeUrl(url) : url)
