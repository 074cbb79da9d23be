import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stringify } from 'csv-stringify/sync'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { lettersOf, RandomServer } from '../../../test/helpers/random-server.ts'
import { seed as first } from '../../../test/helpers/seed.ts'
import { times } from '../../../test/helpers/times.ts'
import { run } from './run.ts'

const scenarios = Number(process.env.FAULTS_RUNS ?? times(40))

/** How often a command is repeated while requests fail. */
const FAULTY_RUNS = 4

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'command-faults-'))
})
afterAll(() => rm(folder, { recursive: true }))

type Row = { url: string; custom?: string }
interface Result extends Row {
  readonly alias?: string
  readonly shorturl?: string
  readonly outcome: string
  readonly error?: string
}

const suffixes = ['csv', 'tsv', 'json', 'ndjson']

class Scenario extends RandomServer {
  readonly #name: string

  constructor(seed: number) {
    super(seed)
    this.#name = join(folder, String(seed))
    vi.stubEnv('SHORTLINK_BASE_URL', this.sandbox.baseUrl)
    vi.stubEnv('SHORTLINK_API_KEY', this.sandbox.apiKey)
    vi.stubGlobal('fetch', (...call: Parameters<typeof fetch>) => this.fetch(...call))
  }

  run(): Promise<void> {
    return this.pick([() => this.#import(), () => this.#import(), () => this.#sync(), () => this.#shorten()])()
  }

  /** Repeats a command until it succeeds, the last time without faults. */
  async #runUntilDone(args: string[], check: (output: Awaited<ReturnType<typeof run>>) => Promise<void> | void) {
    for (let turn = 0; turn < FAULTY_RUNS; turn++) {
      const output = await run(...args)
      await check(output)
      if (output.status === 0) return output
    }
    this.sandbox.chaos({ rate: 0 })
    this.random = () => 0.99
    const output = await run(...args)
    await check(output)
    return output
  }

  async #import(): Promise<void> {
    const rows: Row[] = this.rows(3 + Math.floor(this.random() * 6))
    for (const row of rows) if (this.random() < 0.4) delete row.custom
    const suffix = this.pick(suffixes)
    const file = await this.#write(rows, suffix)
    const out = this.random() < 0.5 ? [`--out`, `${this.#name}-result.json`] : []
    const args = ['import', file, ...out, '--json']
    /** Whether a done row shows that the server keeps aliases, now and before the last run. */
    let [hasEvidence, hadEvidence] = [false, false]
    const isEvidence = ({ custom, alias, shorturl, outcome }: Result) =>
      outcome === 'done' && decodeURI(shorturl!) === `https://sho.rt/${custom || alias}`
    const { status, stdout } = await this.#runUntilDone(args, async ({ status, stdout }) => {
      const results = await this.#readResults(stdout, out[1])
      hadEvidence = hasEvidence
      hasEvidence ||= results.some(isEvidence)
      for (const [index, { outcome, shorturl }] of results.entries()) {
        const { url, custom } = rows[index]!
        if (outcome === 'done') this.checkRow({ url, ...(custom && { custom }) }, shorturl!)
      }
      if (status === 0) expect(results.map(({ outcome }) => outcome)).toEqual(rows.map(() => 'done'))
      const made = results.filter(({ custom, outcome }) => outcome === 'done' && !custom)
      if (new Set(made.map(({ shorturl }) => shorturl)).size < made.length) {
        throw new Error('two rows have the same link')
      }
      if (!this.dialect.includes('alias-ignored')) this.checkNumber(rows)
    })
    if (status === 0) {
      const found = await this.#readResults(stdout, out[1])
      const writes = this.#writes()
      await this.#repeat(args, found, async () => {
        rows.sort((one, other) => one.url.localeCompare(other.url))
        await this.#write(rows, suffix)
      })
      if (this.#writes() > writes) throw new Error('finished rows are written again')
      await this.#syncResult(found)
      return this.#report()
    }
    if (!this.#canComplete()) return
    // Without faults, a row fails only because of its own data, or if nothing shows yet that the server keeps aliases.
    const isOwn = ({ outcome, error = '' }: Result) =>
      / already leads to | is already the alias of row /.test(error) || (outcome === 'unknown' && !hadEvidence)
    // Another link may have the slug of the row's alias. Only the server's words say that it is taken then, and a row
    // that was in doubt stays unknown.
    const isTaken = ({ url, custom }: Result) =>
      this.sandbox.data.links.some(
        (link) => custom && link.alias !== custom && link.alias === this.stored(custom) && !this.leadsTo(link, url),
      )
    const results = await this.#readResults(stdout, out[1])
    const other = results.find((result) => result.outcome !== 'done' && !isOwn(result) && !isTaken(result))
    if (other) throw new Error(`${JSON.stringify(other)} is not done, although requests no longer fail`)
  }

  /** Checks that importing the rows in another order, and then the result, sends nothing and returns the same links. */
  async #repeat(args: string[], results: readonly Result[], sort: () => Promise<void>): Promise<void> {
    const describeLinks = (results: readonly Result[]) =>
      results.map(({ url, custom, shorturl }) => `${url} ${custom || ''} ${shorturl}`).sort()
    await sort()
    const requests = this.sandbox.requests.length
    for (const [index, file] of [args[1]!, this.#path('again-0.json')].entries()) {
      const out = this.#path(`again-${index}.json`)
      const { status } = await run('import', file, '--out', out)
      if (index === 0 && (status !== 0 || this.sandbox.requests.length > requests)) {
        throw new Error('the same rows in another order are not done')
      }
      const again = await this.#readResults('', out)
      const untrue = again.find(({ error = '' }) => / is not on this server| leads to /.test(error))
      if (untrue) throw new Error(`${untrue.shorturl} exists, but the error is: ${untrue.error}`)
      if (status === 0) expect(describeLinks(again)).toEqual(describeLinks(results))
    }
  }

  /** Checks that a sync with the result changes nothing. */
  async #syncResult(results: readonly Result[]): Promise<void> {
    if (new Set(results.map(({ shorturl }) => shorturl)).size < results.length) return
    const own = () => JSON.stringify(this.sandbox.data.links.filter(({ id }) => !this.others.has(id)))
    const [before, writes] = [own(), this.#writes()]
    const { status, stdout } = await run('sync', this.#path('again-0.json'), '--apply', '--may-clear', '--json')
    if (status === 0 && stdout !== '[]\n') throw new Error(`a sync with the result changes links: ${stdout}`)
    if (own() !== before) throw new Error('a sync with the result changes links')
    // A result has the alias as the file has it. If the server spells it differently, it refuses to create it.
    if (this.#writes() > writes && !this.dialect.includes('alias-slugged'))
      throw new Error('finished rows are written again')
  }

  /** Checks that a report counts every click since a list as new, and no link as gone. */
  async #report(): Promise<void> {
    const list = this.#path('list.csv')
    if ((await run('list', 'links', '--out', list)).status !== 0) return
    const before = new Map(this.sandbox.data.links.map(({ id, clicks }) => [id, clicks]))
    for (const link of this.sandbox.data.links)
      if (this.random() < 0.5) link.clicks += 1 + Math.floor(this.random() * 5)
    const { status, stdout, stderr } = await run('report', '--previous', list, '--json')
    if (status !== 0) return
    if (stderr.includes('gone: ')) throw new Error(`a report lists an existing link as gone: ${stderr}`)
    for (const { id, clicks, newClicks } of JSON.parse(stdout) as Record<string, number>[]) {
      if (newClicks !== clicks! - (before.get(id!) ?? 0)) throw new Error(`a report counts ${newClicks} new clicks`)
    }
  }

  async #sync(): Promise<void> {
    const all = this.rows(2 + Math.floor(this.random() * 5))
    const rows = all.filter(
      ({ custom }, index) => all.findIndex((row) => lettersOf(row.custom) === lettersOf(custom)) === index,
    )
    const file = await this.#write(rows, this.pick(suffixes))
    const prune = this.random() < 0.7 ? ['--prune', 'sale'] : []
    const { status } = await this.#runUntilDone(
      ['sync', file, ...prune, '--apply', '--may-clear', '--json'],
      ({ status, stdout }) => {
        const steps: { action: string; alias: string; url: string; outcome: string }[] = stdout.startsWith('[')
          ? JSON.parse(stdout)
          : []
        const done = steps.filter(({ action, outcome }) => action !== 'delete' && outcome === 'done')
        for (const { url, custom } of status === 0 ? rows : done.map(({ url, alias }) => ({ url, custom: alias }))) {
          const links = this.sandbox.data.links.filter(({ alias }) => lettersOf(alias) === lettersOf(custom))
          if (!links.some(({ longurl }) => longurl === url))
            throw new Error(`sync reports ${custom} as done, but it is not`)
          const made = links.filter(({ id }) => !this.others.has(id))
          const asked = rows.filter((row) => lettersOf(row.custom) === lettersOf(custom))
          if (made.length > asked.length) throw new Error(`${made.length} links were created for ${custom}`)
        }
      },
    )
    const wanted = rows.map(({ custom }) => lettersOf(custom))
    const lost = this.deleted.find(({ alias }) => wanted.includes(lettersOf(alias)) || !alias.startsWith('sale'))
    if (lost) throw new Error(`sync deleted ${lost.alias}`)
    // A sync does not take a link in another spelling for the row's: it names the server's spelling.
    const canComplete = this.#canComplete() && !this.dialect.includes('alias-slugged')
    if (status !== 0 && canComplete) throw new Error('sync fails, although requests no longer fail')
  }

  /** Returns whether everything can be done: not if the server changes aliases, or its lists never seem complete. */
  #canComplete(): boolean {
    return !this.dialect.includes('alias-ignored') && !this.dialect.includes('count-too-high')
  }

  async #shorten(): Promise<void> {
    const urls = Array.from({ length: 1 + Math.floor(this.random() * 4) }, this.url)
    const { stdout } = await run('shorten', ...urls, '--json')
    const entries: { url: string; shorturl?: string }[] = JSON.parse(stdout)
    for (const { url, shorturl } of Array.isArray(entries) ? entries : [])
      if (shorturl) this.checkRow({ url }, shorturl)
    this.checkNumber(urls.map((url) => ({ url })))
  }

  readonly #writes = () => this.sandbox.requests.filter(({ method }) => method !== 'GET').length

  readonly #path = (name: string) => `${this.#name}-${name}`

  /** Writes rows to a file in one of the formats. */
  async #write(rows: Row[], suffix: string): Promise<string> {
    const text = {
      csv: () => stringify(rows, { header: true, columns: ['custom', 'url'], delimiter: this.pick([',', ';']) }),
      tsv: () => stringify(rows, { header: true, columns: ['url', 'custom'], delimiter: '\t' }),
      json: () => JSON.stringify(rows),
      ndjson: () => rows.map((row) => JSON.stringify(row)).join('\n'),
    }
    await writeFile(`${this.#name}.${suffix}`, text[suffix as keyof typeof text]())
    return `${this.#name}.${suffix}`
  }

  /** Reads the rows of a result from standard output or a file; none if the import ended before it created a link. */
  async #readResults(stdout: string, out: string | undefined): Promise<Result[]> {
    const text = out ? await readFile(out, 'utf8').catch(() => '[]') : stdout
    const results = JSON.parse(text)
    return Array.isArray(results) ? results : []
  }
}

test(`the output of the command is correct in ${scenarios} random scenarios from seed ${first} on`, {
  timeout: 600_000,
}, async () => {
  vi.stubEnv('SHORTLINK_RATE_LIMIT', 'off')
  // Shorter timers are waits between attempts, which need not take time. Longer ones are timeouts.
  const start = setTimeout
  vi.stubGlobal('setTimeout', ((run: () => void, ms = 0, ...args: []) =>
    start(run, ms < 20_000 ? 0 : ms, ...args)) as typeof setTimeout)
  try {
    for (let seed = first; seed < first + scenarios; seed++) {
      await new Scenario(seed).run().catch((error) => {
        throw new Error(`seed ${seed}: ${(error as Error).message}`, { cause: error })
      })
    }
  } finally {
    vi.unstubAllGlobals()
    vi.unstubAllEnvs()
  }
})
