// Runs the suite in a page, on the package's files without a bundler.

import { conformance } from '/conformance.mjs'
import * as bulk from '/package/dist/esm/bulk/index.js'
import * as sdk from '/package/dist/esm/index.js'
import * as links from '/package/dist/esm/links/index.js'
import * as proxy from '/package/dist/esm/proxy/index.js'
import * as schemas from '/package/dist/esm/schemas.js'
import * as testing from '/package/dist/esm/testing/index.js'

globalThis.sdk = sdk
globalThis.violations = []
document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
  globalThis.violations.push(`${violatedDirective} ${blockedURI}`)
})

globalThis.suite = async (host) => {
  const results = []
  await conformance({ sdk, testing, proxy, schemas, links, bulk, ...host }, (result) => results.push(result))
  return results
}
