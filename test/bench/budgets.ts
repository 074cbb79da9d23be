/**
 * Measures what the packages cost and compares each number with its limit, in CI. Also compares the numbers on the page
 * about runtimes that are the same on every machine. `npm run budgets -- --write` also measures the other numbers of
 * that page and the peers, and writes them all.
 */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { serve } from 'shortlink-sdk/node'
import { createSandbox } from 'shortlink-sdk/testing'
import { measureUncaught, readPage } from './alone.ts'
import { installPeers, installProject, workspace } from './clients.ts'
import { isWithin, type Limit, limits, median } from './measure.ts'
import { findMissing, writePage } from './page.ts'
import { withServer } from './server.ts'
import { measureAddedDownload, measureDisk, measureWeight } from './weight.ts'

const shouldWrite = process.argv.includes('--write')
if (shouldWrite) installPeers()
const tarballs = installProject()
const weight = await measureWeight('shortlink-sdk')
const added = await measureAddedDownload()
const [reading, error] = await withServer(async (address) => [
  median(await readPage(address, false)),
  measureUncaught(address),
])

const cliFolder = join(workspace, 'node_modules/shortlink-cli')

const budgets: ({ what: string; is: number } & Limit)[] = [
  { what: 'download of one list call, kB', is: weight.download, ...limits.download },
  { what: 'added to an app that uses ky and zod/mini, kB', is: added, ...limits.added },
  { what: 'type instantiations of one list call', is: weight.types, ...limits.types },
  { what: 'package on disk, kB', is: weight.disk, ...limits.disk },
  { what: 'tarball, kB', is: tarballs['shortlink-sdk'], ...limits.tarball },
  { what: 'shortlink-cli on disk, kB, without a limit', is: measureDisk([cliFolder]) },
  { what: 'tarball of shortlink-cli, kB, without a limit', is: tarballs['shortlink-cli'] },
  { what: 'reading a page of 25 rows, ratio to JSON.parse', is: reading, ...limits.reading },
  { what: 'output of an uncaught error in Node, kB', is: error, ...limits.uncaught },
  {
    what: 'memory of the command that imports 10,000 rows, MB',
    is: await measureImportMemory(),
    ...limits.importMemory,
  },
]
console.table(budgets)
const over = budgets.filter((each) => !isWithin(each.is, each))
for (const { what, is, atMost } of over) console.error(`✗ ${what}: ${is}, at most ${atMost}`)

if (shouldWrite) await writePage({ weight, added })
const missing = findMissing({ weight, added })
if (missing.length)
  console.error(
    `✗ the page about runtimes does not say\n${missing.join('\n')}\nTo update it: npm run budgets -- --write`,
  )

const failed = over.length + Number(missing.length > 0)
console.log(`${budgets.length + 1 - failed} passed, ${failed} failed`)
process.exitCode = failed ? 1 : 0

/** Returns the peak memory of the command, in MB, while it imports 10,000 rows from a file without a rate limit. */
async function measureImportMemory(): Promise<number> {
  const server = await serve(createSandbox())
  const folder = mkdtempSync(join(tmpdir(), 'import-memory-'))
  const file = join(folder, 'links.csv')
  const rows = Array.from({ length: 10_000 }, (_, n) => `https://shop.example/tea?size=${n},tea-${n},Tea ${n}\n`)
  writeFileSync(file, `url,custom,title\n${rows.join('')}`)
  const printPeak = `process.on('exit', () => console.error('peak', process.resourceUsage().maxRSS))`
  try {
    const { stderr } = await promisify(execFile)(
      process.execPath,
      [
        '--import',
        `data:text/javascript,${encodeURIComponent(printPeak)}`,
        join(cliFolder, 'dist/command/index.js'),
        'import',
        file,
        '--out',
        join(folder, 'result.csv'),
      ],
      {
        env: {
          ...process.env,
          SHORTLINK_BASE_URL: server.baseUrl,
          SHORTLINK_API_KEY: 'sandbox-key',
          SHORTLINK_RATE_LIMIT: 'off',
        },
        maxBuffer: 2 ** 26,
      },
    )
    return (Number(/peak (\d+)/.exec(stderr)?.[1]) * 1024) / 1e6
  } finally {
    rmSync(folder, { recursive: true })
    await server.close()
  }
}
