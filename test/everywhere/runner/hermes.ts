import { join } from 'node:path'
import type { Finding } from './report.ts'
import { must } from './shell.ts'
import { find, loadTool, root } from './tools.ts'

const folders: Record<string, string> = { linux: 'linux64-bin', darwin: 'osx-bin' }

/**
 * Compiles a bundle with React Native's engine. Only its compiler is on the registry, so nothing is run. Async generators
 * are lowered first, as React Native's Babel preset does.
 */
export async function tryHermes(folder: string): Promise<Finding> {
  const name = 'Hermes (React Native)'
  const compiler = await find(`hermes-compiler/hermesc/${folders[process.platform]}/hermesc`)
  if (!compiler) return { name, outcome: 'skipped', detail: 'hermes-compiler does not support this platform' }
  const bundle = join(folder, 'hermes.js')
  try {
    await loadTool('esbuild').build({
      entryPoints: [join(root, 'test/everywhere/projects/browser/main.js')],
      nodePaths: [join(folder, 'node_modules')],
      bundle: true,
      format: 'iife',
      platform: 'neutral',
      mainFields: ['module', 'main'],
      supported: { 'async-generator': false, 'for-await': false },
      logLevel: 'silent',
      outfile: bundle,
    })
    await must(compiler, ['-w', '-emit-binary', '-out', join(folder, 'hermes.hbc'), bundle])
    return { name, outcome: 'passed', detail: 'compiles to bytecode, async generators lowered; not run' }
  } catch (error) {
    return { name, outcome: 'failed', detail: String((error as Error).stack) }
  }
}
