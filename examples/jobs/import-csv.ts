/**
 * Shortens a CSV of addresses: reads `addresses.csv` with the columns `url` and `title`, and writes
 * `addresses.short.csv` with a column `shorturl` beside them. The process is killed halfway and started again, and
 * continues where it stopped. In the end, every address has one link in the sandbox.
 *
 *     npx tsx examples/jobs/import-csv.ts     offline, against the sandbox on a free port of this machine
 *
 * From a shell, `npx shortlink-cli import addresses.csv --out addresses.short.csv` does the same, with random aliases.
 *
 * It starts itself with the arguments `shorten <baseUrl> <apiKey> <addresses.csv>`, which run the job.
 */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parse } from 'csv-parse/sync'
import { stringify } from 'csv-stringify/sync'
import { importLinks } from 'shortlink-cli'
import { fileJournal } from 'shortlink-cli/node'
import { ShortLinkClient } from 'shortlink-sdk'
import { serve } from 'shortlink-sdk/node'
import { createSandbox } from 'shortlink-sdk/testing'
import { bar, run, seconds } from './killed-halfway.ts'

interface Row {
  url: string
  title: string
  shorturl?: string
}

/** The reference allows 30 requests a minute. This rate takes seconds instead. */
const RATE = { requests: 400, interval: 1000 }

/** Shortens the addresses. This is the job that is killed and started again. */
async function shorten(baseUrl: string, apiKey: string, file: string): Promise<void> {
  const client = new ShortLinkClient({ baseUrl, apiKey, rateLimit: RATE })
  const rows: Row[] = parse(await readFile(file), { columns: true, bom: true })
  const work = importLinks(
    client,
    rows.map((row) => ({ ...row, custom: deriveAlias(row.url) })),
    { journal: fileJournal(`${file}.journal`), onProgress: (progress) => console.log(bar(progress)) },
  )
  for await (const { row, index, shorturl, outcome, error } of work) {
    if (shorturl === undefined) console.log(`${row.url}: ${outcome}, ${error}`)
    else rows[index]!.shorturl = shorturl
  }
  await writeFile(file.replace(/\.csv$/, '.short.csv'), stringify(rows, { header: true }))
  const { done, failed } = await work.summary()
  console.log(`${done} done, ${failed} failed`)
}

/** Derives the alias from the address. An alias exists once, so an address never gets two links. */
const deriveAlias = (url: string) => createHash('sha256').update(url).digest('hex').slice(0, 12)

/** Kills the job, starts it again, and counts the links in the sandbox. */
async function show(): Promise<void> {
  const sandbox = createSandbox({ rateLimit: RATE })
  const { baseUrl, close } = await serve(sandbox)
  const folder = await mkdtemp(join(tmpdir(), 'import-csv-'))
  const file = join(folder, 'addresses.csv')
  const addresses = Array.from({ length: 500 }, (_, n) => ({
    url: `https://shop.example/tea?size=${n},5&colour="green"`,
    title: `Tea, "the ${n}th"`,
  }))
  await writeFile(file, stringify(addresses, { header: true }))

  const program = [fileURLToPath(import.meta.url), 'shorten', baseUrl, sandbox.apiKey, file]
  console.log(
    `shortening ${addresses.length} addresses, ${RATE.requests} requests in ${seconds(RATE.interval)} at most`,
  )
  // A link is created, and the program is killed before it receives the response.
  sandbox.fail({ method: 'POST', path: '/url/add', after: 150, delay: Infinity })
  await run(program, 200)
  console.log('started again')
  await run(program)
  await close()

  const shortened: Row[] = parse(await readFile(join(folder, 'addresses.short.csv')), { columns: true })
  await rm(folder, { recursive: true })
  const stored = sandbox.data.links
  console.log(
    `the sandbox counts ${stored.length} links to ${new Set(stored.map(({ longurl }) => longurl)).size} addresses`,
  )
  assert.equal(stored.length, addresses.length)
  const shorturls = new Map(stored.map(({ longurl, domain, alias }) => [longurl, `${domain}/${alias}`]))
  assert.deepEqual(
    shortened,
    addresses.map((row) => ({ ...row, shorturl: shorturls.get(row.url) })),
  )
}

const [command, ...settings] = process.argv.slice(2)
if (command === 'shorten') await shorten(...(settings as [string, string, string]))
else await show()
