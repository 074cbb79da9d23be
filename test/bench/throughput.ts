/** Calls a second, one after another and 20 at once, against bare fetch in the same process. */
import { withServer } from './children.ts'
import { type Finding, figure, interleave } from './measure.ts'
import { connect } from './peers.ts'

const bare = 'bare fetch + JSON.parse'
const kyDefaults = 'ky 2, defaults'
const own: Record<string, string> = {
  [bare]: 'bare-fetch',
  [kyDefaults]: 'ky-defaults',
  'ky 2 without timer and clone': 'ky-lean',
  'shortlink-sdk': 'shortlink-sdk',
}
const peers: Record<string, string> = {
  'octokit core': 'octokit-core',
  'octokit with 3 plugins': 'octokit-four',
  openai: 'openai',
  notion: 'notion',
  resend: 'resend',
  dub: 'dub',
}

/** Few and many rows are there to tell what a call costs from what a row costs; the peers run at 25. */
const sizes = [25, 15, 100]

export async function compare(quick: boolean): Promise<Finding[]> {
  return withServer(async (address) => {
    const findings: Finding[] = []
    for (const rows of quick ? [25] : sizes) {
      for (const atOnce of [1, 20]) {
        const clients = rows === 25 ? { ...own, ...peers } : own
        const contestants: Record<string, () => Promise<number>> = {}
        for (const [name, client] of Object.entries(clients)) {
          const call = await connect(client, address(rows))
          if ((await call()) !== rows) throw new Error(`${name} did not read ${rows} rows`)
          contestants[name] = () => callsASecond(call, atOnce)
        }
        const finding: Finding = {
          title: `Calls a second, ${rows} rows, ${atOnce === 1 ? 'one after another' : `${atOnce} at once`}`,
          how: 'Loopback, keep-alive, the server in a process of its own. The goal is what ky alone reaches with its defaults in the same run. dub is given links, four times as long as the campaigns that the others are given.',
          unit: 'calls/s',
          baseline: bare,
          byRatio: true,
          rows: await interleave(quick ? 8 : 40, contestants),
        }
        const rowOf = (name: string) => finding.rows.find((row) => row.name === name)!
        rowOf('shortlink-sdk').goal = { atLeast: figure(finding, rowOf(kyDefaults)).median }
        findings.push(finding)
      }
    }
    return findings
  })
}

const turn = 60

/** Calls for a turn of 60 ms. */
async function callsASecond(call: () => Promise<number>, atOnce: number): Promise<number> {
  let calls = 0
  const start = performance.now()
  const caller = async () => {
    while (performance.now() - start < turn) {
      await call()
      calls++
    }
  }
  await Promise.all(Array.from({ length: atOnce }, caller))
  return (calls / (performance.now() - start)) * 1000
}
