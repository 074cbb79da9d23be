/** Makes one call, and prints its result, CPU time and memory. */
import { inspect } from 'node:util'
import { isShortLinkError, ShortLinkClient } from 'shortlink-sdk'
import { createProxy } from 'shortlink-sdk/proxy'

export interface MeasuredCallArgs {
  readonly origin: string
  readonly call: 'account' | 'proxy'
  readonly apiKey: string
}

export interface Measured {
  /** `answered`, or the code and the outcome of the error. For a proxy, the status. */
  readonly end: string
  /** The length of the error in a log. */
  readonly shownLength: number
  /** The CPU time of the call, in milliseconds. */
  readonly cpuMs: number
  /** The maximum growth of the process's memory, in megabytes. */
  readonly growthMb: number
}

const { origin, call, apiKey } = JSON.parse(process.argv[2]!) as MeasuredCallArgs
const client = new ShortLinkClient({ baseUrl: origin, apiKey, retry: 0, timeout: false })
const rss = process.memoryUsage.rss()
const cpu = process.cpuUsage()
let end = 'answered'
let shown = ''
if (call === 'proxy') {
  const proxy = createProxy(client, { allow: ['GET /account'], authorize: 'everyone', onError: () => {} })
  end = String((await proxy(new Request('https://shop.example/account'))).status)
} else {
  await client.account.get().catch((error) => {
    if (!isShortLinkError(error)) throw error
    end = `${error.code} ${error.outcome}`
    shown = inspect(error) + error.stack + JSON.stringify(error)
  })
}
const { user, system } = process.cpuUsage(cpu)
const { maxRSS } = process.resourceUsage()
const measured: Measured = {
  end,
  shownLength: shown.length,
  cpuMs: Math.round((user + system) / 1000),
  growthMb: Math.round((maxRSS * 1024 - rss) / 1e6),
}
console.log(JSON.stringify(measured))
