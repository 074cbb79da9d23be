import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { expect, test, vi } from 'vitest'
import { keys, leakIn, Random } from '../../../test/client/http/responses/hostile-servers.ts'
import { seed } from '../../../test/helpers/seed.ts'
import { times } from '../../../test/helpers/times.ts'
import { run } from './run.ts'

const runs = Number(process.env.HOSTILE_RUNS ?? times(50))

const table = (text: string): Record<string, string>[] => parse(text, { columns: true })
const isJson = (text: string) => JSON.parse(text) !== undefined

interface Play {
  readonly args: (path: (name: string) => string) => string[]
  /** Returns whether the output reports everything as done. */
  readonly isDone: (stdout: string) => boolean
  /** Whether the output is data of the server, which may contain anything. */
  readonly isData?: boolean
}

const urls = ['https://shop.example/tea', 'https://shop.example/cake']

/** The commands that call a server. */
const plays: Play[] = [
  { args: () => ['shorten', ...urls], isDone: (stdout) => /^\S+\n\S+\n$/.test(stdout) },
  {
    args: () => ['shorten', urls[0]!, '--alias', 'tea', '--json'],
    isDone: (stdout) => stdout.includes('"shorturl": "'),
  },
  {
    args: (path) => ['import', path('links.csv'), '--campaign', '1', '--format', 'csv'],
    isDone: (stdout) => table(stdout).every(({ outcome, shorturl }) => outcome === 'done' && shorturl),
  },
  {
    args: (path) => ['import', path('result.csv')],
    isDone: (stdout) => table(stdout).every(({ outcome, shorturl }) => outcome === 'done' && shorturl),
  },
  {
    args: (path) => ['sync', path('links.csv'), '--apply', '--may-clear', '--prune', 'te', '--format', 'csv'],
    isDone: (stdout) => table(stdout).every(({ outcome }) => outcome === 'done'),
  },
  { args: () => ['list', 'links', '--json'], isDone: isJson, isData: true },
  { args: () => ['list', 'campaigns', '--format', 'csv'], isDone: (stdout) => stdout.startsWith('id,'), isData: true },
  { args: (path) => ['report', '--json', '--previous', path('report.csv')], isDone: isJson, isData: true },
  { args: () => ['report', '--by', 'campaign', '--json'], isDone: isJson, isData: true },
  { args: () => ['doctor'], isDone: (stdout) => stdout.startsWith('Works: ') },
  { args: () => ['doctor', '--json'], isDone: (stdout) => JSON.parse(stdout).verdict === 'works' },
]

const files = {
  'links.csv': `url,custom\n${urls[0]},tea\n${urls[1]},\n`,
  'result.csv': `url,shorturl,alias,created,outcome,error\n${urls[0]},https://sho.rt/tea,tea,true,done,\n${urls[1]},,,,not-sent,\n`,
  'report.csv': 'id,shorturl,clicks\n1,https://sho.rt/tea,0\n',
}

async function play(number: number): Promise<void> {
  const random = new Random(number)
  const key = random.pick(keys)
  const folder = await mkdtemp(join(tmpdir(), 'hostile-'))
  const path = (name: string) => join(folder, name)
  for (const [name, text] of Object.entries(files)) await writeFile(path(name), text)
  vi.stubEnv('SHORTLINK_API_KEY', key)
  vi.stubGlobal('fetch', async () => {
    if (random.next() > 0.05) return random.response(key)
    throw new TypeError(`fetch failed: ${random.quote(key)}`, { cause: new Error(random.quote(key)) })
  })
  const { args, isDone, isData } = random.pick(plays)
  process.exitCode = 0
  const { status, stdout, stderr } = await run(...args(path))
  const made = (await readdir(folder)).filter((name) => !Object.hasOwn(files, name))
  const texts = await Promise.all(made.map((name) => readFile(path(name), 'utf8')))
  await rm(folder, { recursive: true })
  const failure = status !== 0 && stdout.startsWith('{') ? stdout : ''
  const leak = [stderr, isData ? failure : stdout, ...texts].map((text) => leakIn(text, key)).find(Boolean)
  const said = `${args(path).join(' ')}: ${stdout}${stderr}`
  if (leak) throw new Error(`the output shows ${leak} of the key: ${said}`)
  if (/Cannot (read|destructure|convert)|is not (a function|iterable)|undefined|\[object/.test(stderr))
    throw new Error(said)
  if (status === 0 && process.exitCode === 0 && !isDone(stdout))
    throw new Error(`exit status 0, but not everything is done: ${said}`)
}

test(`with ${runs} hostile servers from seed ${seed} on, no command shows the key or exits with 0 for unfinished work`, {
  timeout: 1_800_000,
}, async () => {
  vi.stubEnv('SHORTLINK_BASE_URL', 'https://sho.rt/api')
  vi.stubEnv('SHORTLINK_RATE_LIMIT', 'off')
  // Shorter timers are waits between attempts, which need not take time. Longer ones are timeouts.
  const start = setTimeout
  vi.stubGlobal('setTimeout', ((call: () => void, ms = 0, ...args: []) =>
    start(call, ms < 15_000 ? 0 : ms, ...args)) as typeof setTimeout)
  try {
    for (let number = seed; number < seed + runs; number++) {
      await play(number).catch((error) => {
        throw new Error(`seed ${number}: ${(error as Error).message}`, { cause: error })
      })
    }
    expect(process.listeners('SIGINT')).toEqual([])
  } finally {
    vi.unstubAllGlobals()
    vi.unstubAllEnvs()
    process.exitCode = undefined
  }
})
