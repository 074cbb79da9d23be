/** The guard that CI runs: three numbers that are exact, each with the most it may be. No timing decides anything. */
import { packageBudget, packageSize } from './package-size.ts'
import { installProject } from './peers.ts'
import { bundle, sizeBudget } from './size.ts'
import { instantiations, typesBudget } from './types.ts'

installProject()

const budgets = [
  {
    what: 'whole client in a browser, kB gzipped',
    is: (await bundle('shortlink-sdk')).gzipped / 1000,
    most: sizeBudget,
  },
  { what: 'type instantiations of one list call', is: await instantiations('shortlink-sdk'), most: typesBudget },
  { what: 'type instantiations of a 20-line program', is: await instantiations('consumer'), most: typesBudget },
  { what: 'package unpacked without maps, kB', is: packageSize().withoutMaps / 1000, most: packageBudget },
]

console.table(budgets)
const exceeded = budgets.filter(({ is, most }) => !(is <= most))
for (const { what, is, most } of exceeded) console.error(`Exceeded: ${what}: ${is}, at most ${most}`)
process.exitCode = exceeded.length ? 1 : 0
