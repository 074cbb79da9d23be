import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'tsup'
import { afterAll } from 'vitest'
import { bundle } from '../../tsup.config.ts'

/** Builds the command, because it starts in a fifth of the time that its sources take, and returns its path. */
export async function buildCommand(): Promise<string> {
  const outDir = await mkdtemp(join(tmpdir(), 'built-command-'))
  afterAll(() => rm(outDir, { recursive: true }))
  await build({ ...bundle, config: false, format: 'esm', entry: { cli: 'src/cli/index.ts' }, outDir, silent: true })
  return join(outDir, 'cli.js')
}
