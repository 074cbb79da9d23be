// Runs the suite in a Worker. A request starts it, and the response has the results.

import * as tasks from 'shortlink-cli'
import * as sdk from 'shortlink-sdk'
import * as proxy from 'shortlink-sdk/proxy'
import * as schemas from 'shortlink-sdk/schemas'
import * as testing from 'shortlink-sdk/testing'
import { checkConformance } from './conformance.mjs'

export default {
  async fetch(request) {
    const results = []
    const host = { sdk, testing, proxy, schemas, tasks, ...(await request.json()) }
    await checkConformance(host, (result) => results.push(result))
    return Response.json(results)
  },
}
