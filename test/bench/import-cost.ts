/** What importing a client costs in a fresh Node process. */
import { spawnSync } from 'node:child_process'
import { type Finding, interleave, type Row } from './measure.ts'
import { bench } from './peers.ts'

const touch = 'touching globalThis.Request'

const sources: Record<string, string> = {
  [touch]: 'globalThis.Request',
  dub: `await import('dub')`,
  openai: `await import('openai')`,
  'short.io': `await import('@short.io/client-node')`,
  stripe: `await import('stripe')`,
  'octokit with 3 plugins': ['core', 'plugin-throttling', 'plugin-retry', 'plugin-paginate-rest']
    .map((name) => `await import('@octokit/${name}')`)
    .join(';'),
  resend: `await import('resend')`,
  'notion, CommonJS': `require('@notionhq/client')`,
  'ky 2': `await import('ky')`,
  'shortlink-sdk': `await import('shortlink-sdk')`,
  'shortlink-sdk, CommonJS': `require('shortlink-sdk')`,
}

const goal = { atMost: 1.7 }

export async function compare(quick: boolean): Promise<Finding[]> {
  const contestants = Object.entries(sources).map(([name, source]) => [name, () => beyondEmpty(source)])
  const rows: Row[] = await interleave(quick ? 2 : 5, Object.fromEntries(contestants))
  return [
    {
      title: 'What importing costs',
      how: 'From the start of a fresh Node process to the end of the import, less the same for an empty program; each the best of five starts.',
      unit: 'ms',
      baseline: touch,
      byRatio: true,
      rows: rows.map((row) => (row.name.startsWith('shortlink-sdk') ? { ...row, goal } : row)),
    },
  ]
}

/** Milliseconds that a program takes beyond an empty one of its kind. */
function beyondEmpty(source: string): number {
  const kind = source.startsWith('require') ? 'commonjs' : 'module'
  return fastest(source, kind) - fastest('', kind)
}

/** The best of five starts: what else the machine does can only add to them. */
function fastest(source: string, kind: 'commonjs' | 'module'): number {
  return Math.min(...Array.from({ length: 5 }, () => timeToEnd(source, kind)))
}

function timeToEnd(source: string, kind: 'commonjs' | 'module'): number {
  const timed = `${source};console.log(performance.now())`
  const { stdout, stderr } = spawnSync(process.execPath, [`--input-type=${kind}`, '--eval', timed], {
    cwd: bench,
    encoding: 'utf8',
  })
  if (stderr) throw new Error(stderr)
  return Number(stdout)
}
