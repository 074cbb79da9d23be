/** The guard that CI runs: sizes that are exact, each with its maximum. No timing decides anything. */
import { installProject } from './clients.ts'
import type { Limit } from './measure.ts'
import { diskSize, download, instantiations, limits } from './weight.ts'

const tarball = installProject()

const name = 'shortlink-sdk'
const budgets: ({ what: string; is: number } & Limit)[] = [
  { what: 'download of one list call, kB', is: await download(name), ...limits.download },
  { what: 'type instantiations of one list call', is: await instantiations(name), ...limits.types },
  { what: 'package on disk, kB', is: diskSize(name), ...limits.disk },
  { what: 'tarball, kB', is: tarball, ...limits.tarball },
]

console.table(budgets)
const exceeded = budgets.filter(({ is, atMost }) => !(is <= (atMost ?? Infinity)))
for (const { what, is, atMost } of exceeded) console.error(`${what}: ${is}, at most ${atMost}`)
process.exitCode = exceeded.length ? 1 : 0
