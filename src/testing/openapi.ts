import { createRequire } from 'node:module'

/** The OpenAPI document of the package, as JSON, with the addresses of a sandbox in place of the examples. */
export function openApiWith(addresses: { readonly baseUrl: string; readonly openerUrl: string }): string {
  // The build writes it.
  const document: unknown = createRequire(import.meta.url)('shortlink-sdk/openapi.json')
  return JSON.stringify(document, (name, value) =>
    name === 'baseUrl' || name === 'openerUrl' ? { ...value, default: addresses[name] } : value,
  )
}
