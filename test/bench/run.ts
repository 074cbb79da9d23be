/**
 * `npm run bench` measures everything and prints tables; `npm run bench -- weight alone` only these. `--quick` runs
 * fewer rounds, for results while you work.
 */
import { parseArgs } from 'node:util'
import * as alone from './alone.ts'
import { installPeers, installProject } from './clients.ts'
import { type Finding, findExceeded, formatTable } from './measure.ts'
import * as requests from './requests.ts'
import * as weight from './weight.ts'

const comparisons: Record<string, { compare(quick: boolean): Promise<Finding> }> = { requests, weight, alone }

const { values, positionals } = parseArgs({
  options: { quick: { type: 'boolean', default: false } },
  allowPositionals: true,
})
const unknown = positionals.find((name) => !(name in comparisons))
if (unknown) throw new Error(`expected ${Object.keys(comparisons).join(', ')}, received ${unknown}`)

installPeers()
installProject()

const findings: Finding[] = []
for (const name of positionals.length ? positionals : Object.keys(comparisons)) {
  const finding = await comparisons[name]!.compare(values.quick)
  findings.push(finding)
  console.log(`\n## ${finding.title}\n\n${finding.how}\n\n${formatTable(finding)}`)
}
const exceeded = findExceeded(findings)
console.log(exceeded.length ? `\nLimits that are exceeded: ${exceeded.join('; ')}` : '\nNo limit is exceeded.')
