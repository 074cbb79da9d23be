/** Makes one call and prints how it ended, and what it cost. */
import { inspect } from 'node:util'
import { type Drift, isShortLinkError, ShortLinkClient, type ShortLinkClientOptions } from '../../../src/index.ts'
import { createProxy } from '../../../src/proxy/index.ts'

export type MeasuredCall = 'splash' | 'find' | 'qr' | 'account' | 'proxy'

export interface MeasuredCallArgs {
  readonly origin: string
  readonly call: MeasuredCall
  readonly apiKey: string
  readonly options?: Pick<ShortLinkClientOptions, 'validation'>
}

export interface Measured {
  /** `answered`, or the code and the outcome of the error. For a proxy, the status. */
  readonly end: string
  /** The length of the error as a log shows it. */
  readonly shownLength: number
  /** How many issues the error or the drift has. */
  readonly issues: number
  /** Processor time of the call, in milliseconds. */
  readonly cpuMs: number
  /** The growth of the process's memory at its peak, in megabytes. */
  readonly growthMb: number
}

const { origin, call, apiKey, options = {} } = JSON.parse(process.argv[2]!) as MeasuredCallArgs
const url = 'https://shop.example'
let drift: Drift | undefined

const client = new ShortLinkClient({
  baseUrl: origin,
  apiKey,
  retry: 0,
  timeout: false,
  ...options,
  onDrift: (event) => {
    drift = event
  },
})

async function proxied(): Promise<number> {
  const proxy = createProxy(client, { allow: ['GET /account'], authorize: 'everyone', onError: () => {} })
  const response = await proxy(new Request(`${url}/account`))
  await response.text()
  return response.status
}

const calls: Record<MeasuredCall, () => PromiseLike<unknown>> = {
  splash: () => client.splash.list(),
  find: () => client.links.find('opening'),
  qr: () => client.qr.get(1),
  account: () => client.account.get(),
  proxy: proxied,
}

const rss = process.memoryUsage.rss()
const cpu = process.cpuUsage()
let end = 'answered'
let shown = ''
let issues = 0
try {
  const answer = await calls[call]()
  if (call === 'proxy') end = String(answer)
  issues = drift?.issues.length ?? 0
} catch (error) {
  if (!isShortLinkError(error)) throw error
  end = `${error.code} ${error.outcome}`
  shown = inspect(error) + error.stack + JSON.stringify(error)
  if (error.code === 'invalid_response') issues = error.issues.length
}
const { user, system } = process.cpuUsage(cpu)
const { maxRSS } = process.resourceUsage()
const measured: Measured = {
  end,
  shownLength: shown.length,
  issues,
  cpuMs: Math.round((user + system) / 1000),
  growthMb: Math.round((maxRSS * 1024 - rss) / 1e6),
}
console.log(JSON.stringify(measured))
