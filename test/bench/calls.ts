/** Calls a second, one after another and 20 at once, against bare `fetch` in the same process. */
import { type ClientName, connect } from './clients.ts'
import { type Finding, interleave, median, ratios, short } from './measure.ts'
import { withServer } from './server.ts'

const bare = 'bare fetch + JSON.parse'
const names: ClientName[] = [
  bare,
  'ky 2',
  'notion',
  'resend',
  'octokit core',
  'octokit with 3 plugins',
  'openai',
  'dub',
  'shortlink-sdk',
]

const ROWS = 25
const TURN_MS = 60

export async function compare(quick: boolean): Promise<Finding> {
  return withServer(async (address) => {
    const calls = new Map<ClientName, () => Promise<unknown[]>>()
    for (const name of names) {
      const call = await connect(name, address(ROWS))
      if ((await call()).length !== ROWS) throw new Error(`${name} did not read ${ROWS} rows`)
      calls.set(name, call)
    }

    const column = async (atOnce: number) => {
      const speeds = await interleave(quick ? 6 : 40, names, (name) => callsASecond(calls.get(name)!, atOnce))
      const ratioOf = (name: ClientName) => ratios(speeds[name], speeds[bare])
      const atLeast = Math.max(median(ratioOf('openai')), median(ratioOf('octokit core')))
      return (name: ClientName) => {
        if (name === bare) return `1: ${short(median(speeds[bare]))} calls/s`
        return { samples: ratioOf(name), ...(name === 'shortlink-sdk' && { limit: { atLeast } }) }
      }
    }
    const oneByOne = await column(1)
    const twenty = await column(20)
    return {
      title: 'Calls a second',
      how: `As a ratio to \`fetch\` and \`JSON.parse\` alone: a page of ${ROWS} rows, loopback, keep-alive, the server in a process of its own. This client validates every answer, with its limiter and retries on; it has to be ahead of openai and octokit core in the same run. Of the peers only dub validates (its rows are four times as long), and only octokit with its plugins keeps to a rate.`,
      columns: ['one after another', '20 at once'],
      rows: names.map((name) => [name, oneByOne(name), twenty(name)]),
      drawn: 'one after another',
    }
  })
}

/** Calls for a turn of 60 ms. */
async function callsASecond(call: () => Promise<unknown>, atOnce: number): Promise<number> {
  let calls = 0
  const start = performance.now()
  const caller = async () => {
    while (performance.now() - start < TURN_MS) {
      await call()
      calls++
    }
  }
  await Promise.all(Array.from({ length: atOnce }, caller))
  return (calls / (performance.now() - start)) * 1000
}
