import { access, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { must } from './shell.ts'

export const root = fileURLToPath(new URL('../../../', import.meta.url))
const cache = join(root, 'node_modules/.cache/everywhere/tools')
const { platform, arch } = process

/** Whether to test every runtime, bundler and compiler, instead of the most used and the oldest and newest ones. */
export const all = process.argv.includes('--all')

const common: Record<string, string> = {
  'node-24': `npm:node-${platform}-${arch}@24`,
  'puppeteer-core': '25',
  srvx: '1',
  hono: '4',
  '@hono/node-server': '2',
  esbuild: '0.28',
  vite: '8',
  'typescript-5.0': 'npm:typescript@5.0',
  'typescript-7': 'npm:typescript@7',
  '@types/node': '20',
  undici: '7',
  selfsigned: '5',
}

/** Every tool, with its version on npm. */
export const tools: Record<string, string> = {
  ...common,
  'node-22': `npm:node-${platform}-${arch}@22`,
  'node-26': `npm:node-${platform}-${arch}@26`,
  bun: '1',
  deno: '2',
  workerd: '1',
  webpack: '5',
  rollup: '4',
  '@rollup/plugin-node-resolve': '16',
  '@rspack/core': '2',
  'typescript-5.4': 'npm:typescript@5.4',
  'typescript-5': 'npm:typescript@5',
  'typescript-6': 'npm:typescript@6',
  'zod-4.0': 'npm:zod@4.0',
  'zod-4': 'npm:zod@4',
  'zod-3.25': 'npm:zod@3.25',
  '@standard-schema/spec': '1',
  arktype: '2',
  valibot: '1',
  msw: '2',
}

/**
 * Installs the tools from the npm registry, unless they are in the cache. They are not dependencies of the package.
 * Runtimes are installed as packages with their binaries.
 */
export async function installTools(): Promise<void> {
  const wanted = all ? tools : common
  const stamp = join(cache, 'node_modules/.stamp')
  const installed: Record<string, string> = JSON.parse(await readFile(stamp, 'utf8').catch(() => '{}'))
  if (Object.entries(wanted).every(([name, version]) => installed[name] === version)) return
  await mkdir(cache, { recursive: true })
  await writeFile(join(cache, 'package.json'), JSON.stringify({ private: true, dependencies: wanted }, null, 2))
  // The packages contain the binaries, so no install script is needed.
  await must('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock'], { cwd: cache })
  await writeFile(stamp, JSON.stringify(wanted))
}

export const toolModules = join(cache, 'node_modules')

/** Loads a tool's module. */
export function loadTool(name: string) {
  return createRequire(join(cache, 'package.json'))(name)
}

/** Links tools into a folder, where its programs find them. */
export async function linkTools(folder: string, ...names: string[]): Promise<void> {
  for (const name of names) {
    const link = join(folder, 'node_modules', name)
    await mkdir(dirname(link), { recursive: true })
    await symlink(join(toolModules, name), link).catch((error) => {
      if (error.code !== 'EEXIST') throw error
    })
  }
}

/** Returns the first of these files that exists. Relative paths are relative to the tools. */
export async function find(...paths: string[]): Promise<string | undefined> {
  for (const path of paths) {
    const file = path.startsWith('/') ? path : join(toolModules, path)
    if (
      await access(file).then(
        () => true,
        () => false,
      )
    )
      return file
  }
  return undefined
}

export const bunPaths = ['', '-baseline'].map((kind) => `@oven/bun-${platform}-${bunArch()}${kind}/bin/bun`)
export const denoPaths = [`@deno/${platform}-${arch}-glibc/deno`, `@deno/${platform}-${arch}/deno`]
export const workerdPaths = [`@cloudflare/workerd-${platform}-${arch === 'x64' ? '64' : arch}/bin/workerd`]
export const chromiumPaths = ['/usr/bin/chromium', '/usr/bin/google-chrome']
export const firefoxPaths = ['/usr/bin/firefox-esr', '/usr/bin/firefox']

function bunArch(): string {
  return arch === 'arm64' ? 'aarch64' : arch
}
