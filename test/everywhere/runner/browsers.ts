import { copyFile, readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { basename, extname, join, normalize } from 'node:path'
import type { Result } from '../conformance.ts'
import { runBrowserChecks } from './browser-checks.ts'
import { listen } from './listen.ts'
import type { Row } from './matrix.ts'
import type { SuiteEnvironment } from './processes.ts'
import { chromiumPaths, find, firefoxPaths, loadTool, root } from './tools.ts'

export type BrowserName = 'Chromium' | 'Firefox'

/** The used part of puppeteer. Its own types are not available, because it is installed only when the tests run. */
export interface Page {
  goto(url: string): Promise<unknown>
  evaluate(expression: string): Promise<unknown>
  waitForFunction(expression: string, options?: { timeout?: number }): Promise<unknown>
  setViewport(size: { width: number; height: number; deviceScaleFactor?: number }): Promise<void>
  screenshot(options?: { fullPage?: boolean }): Promise<Uint8Array>
  click(selector: string): Promise<void>
  type(selector: string, text: string): Promise<void>
  $(selector: string): Promise<{ uploadFile(...paths: string[]): Promise<void> } | null>
  on(event: 'pageerror' | 'console', listener: (event: unknown) => void): void
  close(): Promise<void>
}

/** A browser controlled by puppeteer. */
export interface Browser {
  version(): Promise<string>
  newPage(): Promise<Page>
  close(): Promise<void>
}

/** Starts a headless browser. Returns `undefined` if it is not installed. */
export async function launch(name: BrowserName): Promise<Browser | undefined> {
  const puppeteer = loadTool('puppeteer-core')
  const executablePath = await find(...(name === 'Chromium' ? chromiumPaths : firefoxPaths))
  if (!executablePath) return undefined
  if (name === 'Firefox') {
    return await puppeteer.launch({ browser: 'firefox', protocol: 'webDriverBiDi', executablePath, headless: true })
  }
  const quiet = ['--disable-background-networking', '--disable-component-update', '--disable-sync', '--disable-quic']
  const args = ['--no-sandbox', '--disable-gpu', '--no-first-run', ...quiet]
  return await puppeteer.launch({ executablePath, headless: true, args })
}

const resends =
  'Browsers themselves resend a request, even a POST, when a reused connection is lost (draft-nottingham-httpbis-retry).'

const knownIssues = {
  'retries: a POST whose connection is lost is sent once, even by the runtime': resends,
  'uploads: an upload whose connection is lost is sent once, even by the runtime': resends,
}

/** Runs the suite in a page, under a strict Content-Security-Policy. */
export async function runInBrowser(name: BrowserName, environment: SuiteEnvironment): Promise<Row> {
  const started = Date.now()
  const seconds = () => (Date.now() - started) / 1000
  const browser = await launch(name)
  if (!browser) return { runtime: name, results: [], skipped: `${name} is not installed`, seconds: 0 }
  const runtime = `${name} (${/[\d.]+/.exec(await browser.version())?.[0]})`
  const site = await serveFiles(await bundlePage(environment.folder))
  try {
    const page = await browser.newPage()
    await page.goto(`${site.url}/page.html`)
    await page.waitForFunction('globalThis.suite', { timeout: 120_000 })
    const host = JSON.stringify({ control: environment.control, deadUrl: environment.deadUrl })
    const results = (await page.evaluate(`suite(${host})`)) as Result[]
    results.push(...(await runBrowserChecks(page)))
    return { runtime, results, knownIssues, seconds: seconds() }
  } catch (error) {
    const reason = String((error as Error).stack)
    return {
      runtime,
      results: [{ topic: 'calls', name: 'the suite completes', outcome: 'failed', reason }],
      seconds: seconds(),
    }
  } finally {
    await browser.close()
    await site.close()
  }
}

const types: Record<string, string> = {
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css',
}

const pageHtml = '<!doctype html><title>Conformance</title><script type="module" src="/page.js"></script>'
/** Bundles the scripts of the page, and returns their folder. */
async function bundlePage(folder: string): Promise<string> {
  const scripts = ['page.js', 'guard-worker.js'].map((name) => join(folder, name))
  for (const script of scripts) await copyFile(join(root, 'test/everywhere/hosts', basename(script)), script)
  const outdir = join(folder, 'page')
  await loadTool('esbuild').build({ entryPoints: scripts, bundle: true, format: 'esm', outdir, logLevel: 'error' })
  return outdir
}

// connect-src allows every port, because each sandbox has its own.
const policy = "default-src 'self'; connect-src 'self' http://127.0.0.1:*"

/** Serves the page and its scripts. */
async function serveFiles(folder: string) {
  const server = createServer(async (request, response) => {
    const path = normalize(new URL(request.url ?? '/', 'http://x').pathname)
    response.setHeader('Content-Security-Policy', policy)
    response.setHeader('Content-Type', types[extname(path)] ?? 'application/octet-stream')
    try {
      response.end(path === '/page.html' ? pageHtml : await readFile(join(folder, path)))
    } catch {
      response.writeHead(404).end()
    }
  })
  return await listen(server)
}
