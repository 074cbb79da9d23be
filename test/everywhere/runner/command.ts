import { join } from 'node:path'
import manifest from '../../../package.json' with { type: 'json' }
import type { Finding } from './report.ts'
import { run } from './shell.ts'
import { all, find } from './tools.ts'

const nodes: Record<string, string> = {
  [`Node ${process.versions.node}`]: process.execPath,
  'Node 24': 'node-24/bin/node',
  ...(all && { 'Node 22': 'node-22/bin/node', 'Node 26': 'node-26/bin/node' }),
}

/** Calls of the installed commands, with the expected output. */
const calls: [command: string, args: string, expected: string][] = [
  ['shortlink-sandbox', '--version', manifest.version],
  ['shortlink-sandbox', '--help', '\nUsage: shortlink-sandbox [options]'],
  ['shortlink', '--version', manifest.version],
  ['shortlink', 'doctor --help', 'Usage: shortlink doctor [options]'],
]

/** Runs the installed commands like `npx`. */
export async function tryCommands(folder: string): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const [name, path] of Object.entries(nodes)) {
    const node = await find(path)
    if (!node) {
      findings.push({ name, outcome: 'skipped', detail: `${path} is not installed` })
      continue
    }
    const wrong: string[] = []
    for (const [command, args, expected] of calls) {
      const ran = await run(node, [join(folder, 'node_modules/.bin', command), ...args.split(' ')], { cwd: folder })
      const isExpected = args === '--version' ? ran.output.trim() === expected : ran.output.includes(expected)
      if (ran.code !== 0 || !isExpected) wrong.push(`${command} ${args}: ${ran.output}`)
    }
    const detail = wrong.join('\n') || calls.map(([command, args]) => `\`${command} ${args}\``).join(', ')
    findings.push({ name, outcome: wrong.length === 0 ? 'passed' : 'failed', detail })
  }
  return findings
}
