/**
 * `npm run bench` measures everything; `npm run bench -- throughput size` only those; `--quick` in fewer rounds, for
 * looking while you work; `--report` writes `report/` too.
 */
import * as importCost from './import-cost.ts'
import { type Finding, table } from './measure.ts'
import * as memory from './memory.ts'
import * as packageSize from './package-size.ts'
import * as parse from './parse.ts'
import { installPeers, installProject } from './peers.ts'
import { writeReport } from './report.ts'
import * as size from './size.ts'
import * as throughput from './throughput.ts'
import * as types from './types.ts'
import * as walk from './walk.ts'

interface Comparison {
  compare(quick: boolean): Promise<Finding[]>
}

const comparisons: Record<string, Comparison> = {
  size,
  import: importCost,
  types,
  package: packageSize,
  throughput,
  parse,
  walk,
  memory,
}

const flags = process.argv.slice(2).filter((word) => word.startsWith('--'))
const asked = process.argv.slice(2).filter((word) => !word.startsWith('--'))
const unknown =
  asked.find((name) => !(name in comparisons)) ?? flags.find((flag) => !['--quick', '--report'].includes(flag))
if (unknown) {
  console.error(`There is no ${unknown}; there are ${Object.keys(comparisons).join(', ')}, --quick and --report.`)
  process.exit(1)
}

const started = performance.now()
installPeers()
installProject()

const findings: Finding[] = []
for (const name of asked.length ? asked : Object.keys(comparisons)) {
  for (const finding of await comparisons[name]!.compare(flags.includes('--quick'))) {
    findings.push(finding)
    console.log(`\n### ${finding.title}\n\n${finding.how}\n\n${table(finding)}`)
  }
}
if (flags.includes('--report')) await writeReport(findings, (performance.now() - started) / 1000)
