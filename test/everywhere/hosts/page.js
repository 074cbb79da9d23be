// Runs the suite in a page.

import * as tasks from 'shortlink-cli'
import * as sdk from 'shortlink-sdk'
import * as proxy from 'shortlink-sdk/proxy'
import * as schemas from 'shortlink-sdk/schemas'
import * as testing from 'shortlink-sdk/testing'
import { checkConformance } from './conformance.mjs'

globalThis.sdk = sdk
globalThis.violations = []
document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
  globalThis.violations.push(`${violatedDirective} ${blockedURI}`)
})

globalThis.suite = async (host) => {
  const results = []
  await checkConformance({ sdk, testing, proxy, schemas, tasks, ...host }, (result) => results.push(result))
  return results
}
