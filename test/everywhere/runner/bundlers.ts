import { cp, readdir, readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { extname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import { type Browser, launch } from './browsers.ts'
import { listen } from './listen.ts'
import type { Finding } from './report.ts'
import { makeSandbox, type RunningSandbox } from './sandbox-control.ts'
import { all, loadTool, root, toolModules } from './tools.ts'

/** Builds `main.js` of a folder into its subfolder `out`. */
type Build = (folder: string) => Promise<unknown>

const asPromise = (
  start: (done: (error: unknown, stats: { hasErrors(): boolean; toString(): string }) => void) => void,
) =>
  new Promise<void>((resolve, reject) => {
    start((error, stats) => (error || stats.hasErrors() ? reject(error ?? new Error(stats.toString())) : resolve()))
  })

const webpackLike = (name: string): Build => {
  return (folder) => {
    const bundler = loadTool(name)
    const output = { path: join(folder, 'out'), filename: 'main.js' }
    return asPromise((done) =>
      (bundler.rspack ?? bundler)({ context: folder, entry: './main.js', mode: 'production', output }, done),
    )
  }
}

const commonBundlers: Record<string, Build> = {
  async esbuild(folder) {
    const { build } = loadTool('esbuild')
    const options = { bundle: true, minify: true, format: 'esm', platform: 'browser', logLevel: 'silent' }
    await build({ entryPoints: [join(folder, 'main.js')], outfile: join(folder, 'out/main.js'), ...options })
  },
  async Vite(folder) {
    const { build } = await import(pathToFileURL(join(toolModules, 'vite/dist/node/index.js')).href)
    await build({ root: folder, logLevel: 'silent', build: { outDir: 'out', modulePreload: false } })
  },
}

const otherBundlers: Record<string, Build> = {
  async Rollup(folder) {
    // Rollup needs plugins to resolve packages and to minify; esbuild minifies here.
    const { nodeResolve } = loadTool('@rollup/plugin-node-resolve')
    const bundle = await loadTool('rollup').rollup({
      input: join(folder, 'main.js'),
      plugins: [nodeResolve({ browser: true })],
      onwarn({ message, id = '', ids = [id] }: { message: string; id?: string; ids?: string[] }) {
        // zod's own files import each other, and some have comments that Rollup cannot interpret.
        if (!ids.every((file) => file.includes('/node_modules/zod/'))) throw new Error(message)
      },
    })
    const file = join(folder, 'out/main.js')
    await bundle.write({ file, format: 'es' })
    await loadTool('esbuild').build({ entryPoints: [file], outfile: file, minify: true, allowOverwrite: true })
  },
  webpack: webpackLike('webpack'),
  Rspack: webpackLike('@rspack/core'),
}

const bundlers = all ? { ...commonBundlers, ...otherBundlers } : commonBundlers

/** Builds a small program with every bundler, and runs it in Node and in Chromium. */
export async function tryBundlers(folder: string, control: string): Promise<Finding[]> {
  const sandbox = await makeSandbox(control)
  const browser = await launch('Chromium')
  const findings: Finding[] = []
  try {
    for (const [name, build] of Object.entries(bundlers)) {
      findings.push(await tryBundler(name, build, join(folder, 'projects', name), sandbox, browser))
    }
  } finally {
    await browser?.close()
  }
  return findings
}

async function tryBundler(
  name: string,
  build: Build,
  folder: string,
  { baseUrl, apiKey }: RunningSandbox,
  browser: Browser | undefined,
): Promise<Finding> {
  try {
    await cp(join(root, 'test/everywhere/projects/browser'), folder, { recursive: true })
    await build(folder)
    const files = (await readdir(join(folder, 'out'), { recursive: true })).filter((file) => extname(file) === '.js')
    const code = (await Promise.all(files.map((file) => readFile(join(folder, 'out', file), 'utf8')))).join('\n')
    checkBundle(code)
    const entry = join(folder, 'out', files[0]!)
    const ran = ['Node']
    await import(pathToFileURL(entry).href)
    expectFive(
      await (globalThis as unknown as { countCampaigns(at: object): Promise<unknown> }).countCampaigns({
        baseUrl,
        apiKey,
      }),
    )
    if (browser) {
      expectFive(await countInPage(browser, entry, { baseUrl, apiKey, dangerouslyAllowBrowser: true }))
      ran.push('Chromium')
    }
    const size = (gzipSync(code, { level: 9 }).length / 1000).toFixed(1)
    return { name, outcome: 'passed', detail: `${size} kB gzipped; ran in ${ran.join(' and ')}` }
  } catch (error) {
    return { name, outcome: 'failed', detail: String((error as Error).stack) }
  }
}

/** Throws if a bundle uses something that browsers lack, or that a policy without `unsafe-eval` blocks. */
function checkBundle(code: string): void {
  const found = /["']node:\w+["']|\brequire\(["']|\bnew Function\b|\beval\(/.exec(code)
  if (found) throw new Error(`the bundle contains ${code.slice(Math.max(0, found.index - 60), found.index + 60)}`)
}

function expectFive(count: unknown): void {
  if (count !== 5) throw new Error(`expected 5 campaigns, received ${count}`)
}

async function countInPage(browser: Browser, entry: string, options: object): Promise<unknown> {
  const html = '<!doctype html><title>Built</title><script type="module" src="/main.js"></script>'
  const server = createServer(async (request, response) => {
    const isScript = request.url === '/main.js'
    response.setHeader('Content-Security-Policy', "default-src 'self'; connect-src http://127.0.0.1:*")
    response.setHeader('Content-Type', isScript ? 'text/javascript' : 'text/html')
    response.end(isScript ? await readFile(entry) : html)
  })
  const { url, close } = await listen(server)
  const page = await browser.newPage()
  try {
    await page.goto(url)
    await page.waitForFunction('globalThis.countCampaigns', { timeout: 120_000 })
    return await page.evaluate(`countCampaigns(${JSON.stringify(options)})`)
  } finally {
    await page.close()
    await close()
  }
}
