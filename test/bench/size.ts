/** What a browser downloads: a program with one list call, bundled, minified and compressed. */
import { gzipSync } from 'node:zlib'
import { build, type Metafile } from 'esbuild'
import type { Finding } from './measure.ts'
import { program } from './peers.ts'

const clients = {
  'short.io': 'short-io',
  openai: 'openai',
  dub: 'dub',
  'dub, one function': 'dub-function',
  resend: 'resend',
  stripe: 'stripe',
  'octokit with 3 plugins': 'octokit-four',
  notion: 'notion',
  'ky 2 alone': 'ky-defaults',
  'shortlink-sdk': 'shortlink-sdk',
}

export const sizeBudget = 17.4

export async function compare(): Promise<Finding[]> {
  const sizes = Object.entries(clients).map(async ([name, peer]) => ({
    name,
    samples: [(await bundle(peer)).gzipped / 1000],
    ...(name === 'shortlink-sdk' && { goal: { atMost: sizeBudget } }),
  }))
  return [
    {
      title: 'What a browser downloads',
      how: 'A program with one list call, bundled and minified by esbuild as an ES module, then gzip -9. Exact.',
      unit: 'kB',
      rows: await Promise.all(sizes),
    },
  ]
}

/** Bundles a program for a browser. */
export async function bundle(name: string): Promise<{ gzipped: number; metafile: Metafile }> {
  const { outputFiles, metafile } = await build({
    entryPoints: [program(name)],
    bundle: true,
    minify: true,
    format: 'esm',
    write: false,
    metafile: true,
    external: ['node:*', '@react-email/render'],
    logLevel: 'error',
  })
  return { gzipped: gzipSync(outputFiles[0]!.contents, { level: 9 }).length, metafile }
}
