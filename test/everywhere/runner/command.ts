import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Finding } from './report.ts'
import { run } from './shell.ts'
import { all, find } from './tools.ts'

const nodes: Record<string, string> = {
  [`Node ${process.versions.node}`]: process.execPath,
  'Node 24': 'node-24/bin/node',
  ...(all && { 'Node 22': 'node-22/bin/node', 'Node 26': 'node-26/bin/node' }),
}

/** Runs the installed command, as `npx` does. */
export async function tryCommand(folder: string): Promise<Finding[]> {
  const manifest = JSON.parse(await readFile(join(folder, 'node_modules/shortlink-sdk/package.json'), 'utf8'))
  const command = join(folder, 'node_modules/.bin/shortlink-sdk')
  const findings: Finding[] = []
  for (const [name, path] of Object.entries(nodes)) {
    const node = await find(path)
    if (!node) {
      findings.push({ name, outcome: 'skipped', detail: `${path} is not installed` })
      continue
    }
    const version = await run(node, [command, '--version'], { cwd: folder })
    const sandbox = await run(node, [command, 'sandbox', '--help'], { cwd: folder })
    const doctor = await run(node, [command, 'doctor', '--help'], { cwd: folder })
    const helps = [sandbox, doctor].every(
      ({ code, output }) => code === 0 && /^USAGE shortlink-sdk \w+ \[OPTIONS\]/m.test(output),
    )
    const passed = version.output.trim() === manifest.version && helps
    const outputs = [version, sandbox, doctor].map(({ output }) => output)
    const detail = passed ? '`--version`, `sandbox --help` and `doctor --help`' : outputs.join('\n')
    findings.push({ name, outcome: passed ? 'passed' : 'failed', detail })
  }
  return findings
}
