// Runs the suite in a page, on the package's files without a bundler.

import { conformance } from '/conformance.mjs'
import * as sdk from '/package/dist/index.js'
import * as proxy from '/package/dist/proxy.js'
import * as schemas from '/package/dist/schemas.js'
import * as tasks from '/package/dist/tasks.js'
import * as testing from '/package/dist/testing.js'

globalThis.sdk = sdk
globalThis.violations = []
document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
  globalThis.violations.push(`${violatedDirective} ${blockedURI}`)
})

globalThis.suite = async (host) => {
  const results = []
  await conformance({ sdk, testing, proxy, schemas, tasks, ...host }, (result) => results.push(result))
  return results
}
