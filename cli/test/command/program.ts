import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'tsup'
import { afterAll } from 'vitest'
import bundle from '../../../tsup.config.ts'

/** Builds the command and returns its path. The build starts five times as fast as the sources. */
export async function buildCommand(): Promise<string> {
  // The folder is inside the project, so that the command finds its dependencies.
  const parent = fileURLToPath(new URL('.tmp/', import.meta.url))
  await mkdir(parent, { recursive: true })
  const outDir = await mkdtemp(join(parent, 'command-'))
  afterAll(() => rm(outDir, { recursive: true }))
  await build({ ...bundle, config: false, entry: { cli: 'cli/src/command/index.ts' }, outDir, silent: true })
  return join(outDir, 'cli.js')
}
