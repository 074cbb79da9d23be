import { join } from 'node:path'
import type { Finding } from './report.ts'
import { run } from './shell.ts'
import { all, find } from './tools.ts'

const nodes: Record<string, string> = {
  [`Node ${process.versions.node}`]: process.execPath,
  'Node 24': 'node-24/bin/node',
  ...(all && { 'Node 22': 'node-22/bin/node', 'Node 26': 'node-26/bin/node' }),
}

/** What each installed command prints that shows that it works. */
const calls: [command: string, argument: string, expected: RegExp][] = [
  ['shortlink-sandbox', '--version', /^\d+\.\d+\.\d+$/],
  ['shortlink-sandbox', '--help', /^Usage: shortlink-sandbox \[options\]/m],
  ['shortlink', '--version', /^\d+\.\d+\.\d+$/],
  ['shortlink', 'doctor --help', /^USAGE shortlink doctor \[OPTIONS\]/m],
]

/** Runs the installed commands, as `npx` does. */
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
      if (ran.code !== 0 || !expected.test(ran.output.trim())) wrong.push(`${command} ${args}: ${ran.output}`)
    }
    const detail = wrong.join('\n') || calls.map(([command, args]) => `\`${command} ${args}\``).join(', ')
    findings.push({ name, outcome: wrong.length === 0 ? 'passed' : 'failed', detail })
  }
  return findings
}
