import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { afterAll, beforeAll, onTestFinished } from 'vitest'

export interface Child {
  /** The values that the program printed, each as a line of JSON. */
  readonly lines: AsyncIterableIterator<unknown>
  /** The exit code, or the signal that ended it. */
  readonly exited: Promise<number | string>
}

/**
 * Bundles a program of `children/` before the tests of a file, and returns a function that starts it. Without a bundle,
 * the memory and the CPU time of a loader would be measured too.
 */
export function childProgram(name: string): (args: object, nodeOptions?: string[]) => Child {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'shortlink-hostile-'))
    await build({
      entryPoints: [fileURLToPath(new URL(`children/${name}.ts`, import.meta.url))],
      outfile: join(folder, 'program.mjs'),
      bundle: true,
      platform: 'node',
      format: 'esm',
      logLevel: 'error',
    })
  })
  afterAll(() => rm(folder, { recursive: true }))

  return (args, nodeOptions = []) => {
    const child = spawn(process.execPath, [...nodeOptions, join(folder, 'program.mjs'), JSON.stringify(args)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    const exited = once(child, 'exit').then(([code, signal]) => code ?? signal)
    return { lines: parsed(createInterface(child.stdout)), exited }
  }
}

async function* parsed(lines: AsyncIterable<string>): AsyncIterableIterator<unknown> {
  for await (const line of lines) yield JSON.parse(line)
}
