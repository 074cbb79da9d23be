/** What a consumer's TypeScript pays: types instantiated beyond those of an empty program. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Finding } from './measure.ts'
import { bench, program, root } from './peers.ts'

const clients = {
  'octokit with 3 plugins': 'octokit-four',
  'short.io': 'short-io',
  dub: 'dub',
  openai: 'openai',
  stripe: 'stripe',
  resend: 'resend',
  notion: 'notion',
  'shortlink-sdk': 'shortlink-sdk',
  'shortlink-sdk, 20 lines': 'consumer',
}

export const typesBudget = 455

export async function compare(): Promise<Finding[]> {
  const rows: Finding['rows'] = []
  for (const [name, client] of Object.entries(clients)) {
    const goal = name.startsWith('shortlink-sdk') && { goal: { atMost: typesBudget } }
    rows.push({ name, samples: [await instantiations(client)], ...goal })
  }
  return [
    {
      title: 'What type-checking costs',
      how: 'Type instantiations of a program with one list call (and, for this project, of 20 lines that use most of it), beyond an empty program, as `tsc --extendedDiagnostics` counts them with `strict` and without `skipLibCheck`. Exact.',
      unit: 'instantiations',
      rows,
    },
  ]
}

let empty: Promise<number> | undefined

/** Types instantiated by a program beyond an empty one. */
export async function instantiations(name: string): Promise<number> {
  empty ??= count('empty')
  return (await count(name)) - (await empty)
}

async function count(name: string): Promise<number> {
  const options = [
    '--strict',
    '--skipLibCheck',
    'false',
    '--target',
    'es2022',
    '--module',
    'nodenext',
    '--types',
    'node',
  ]
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const run = promisify(execFile)(
    process.execPath,
    [tsc, '--noEmit', '--extendedDiagnostics', ...options, program(name)],
    { cwd: bench },
  )
  // A peer's types may hold errors of their own, which end tsc with a failure; they are counted all the same.
  const { stdout } = await run.catch((failure: { stdout: string }) => failure)
  return Number(/^Instantiations:\s+(\d+)/m.exec(stdout)?.[1])
}
