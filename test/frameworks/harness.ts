/** Helpers of the projects' checks, which run in the folder of their project. */
import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { launch } from '../everywhere/runner/browsers.ts'
import { portsFrom } from '../everywhere/runner/listen.ts'
import { must } from '../everywhere/runner/shell.ts'
import { installTools } from '../everywhere/runner/tools.ts'

export type Sandbox = import('shortlink-sdk/testing').Sandbox

/** Loads an entry of the package that is installed in the project. */
const load = async (entry: string) =>
  await import(pathToFileURL(createRequire(join(process.cwd(), 'package.json')).resolve(entry)).href)

/** Starts a sandbox on a port, with links with these aliases, and returns the environment variables for it. */
export async function startSandbox(aliases: string[], requests = 30) {
  const { createSandbox } = (await load('shortlink-sdk/testing')) as typeof import('shortlink-sdk/testing')
  const { serve } = (await load('shortlink-sdk/node')) as typeof import('shortlink-sdk/node')
  const sandbox = createSandbox({
    rateLimit: { requests },
    data: { links: aliases.map((alias) => ({ alias, url: `https://shop.example/${alias}` })) },
  })
  const { baseUrl, close } = await serve(sandbox)
  return { sandbox, env: { SHORTLINK_BASE_URL: baseUrl, SHORTLINK_API_KEY: sandbox.apiKey }, close }
}

/** Runs a command, which may be in the project's `node_modules/.bin` and must succeed, and returns its output. */
export const run = (command: string, args: string[], env: NodeJS.ProcessEnv = {}): Promise<string> =>
  must(command, args, { env: { PATH: `${join(process.cwd(), 'node_modules/.bin')}:${process.env.PATH}`, ...env } })

const ownPort = portsFrom(Number(process.env.FIRST_PORT ?? 20_000))

/** Starts a server on the port in `PORT`, and waits until it responds. */
export async function start(command: string, args: string[], env: NodeJS.ProcessEnv = {}) {
  const port = String(await ownPort())
  const url = `http://localhost:${port}`
  const child = spawn(command, args, {
    env: { ...process.env, HOST: '127.0.0.1', PORT: port, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    // Creates a process group, because npm does not end its child processes.
    detached: true,
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
  const exited = new Promise<number | null>((resolve) => child.on('exit', resolve))
  const ended = new Promise<never>((_, reject) => {
    child.on('close', () => reject(new Error(`${command} ${args.join(' ')} ended:\n${output.slice(-4000)}`)))
  })
  ended.catch(() => {})
  const stop = async () => {
    if (child.exitCode === null) process.kill(-child.pid!, 'SIGKILL')
    await ended.catch(() => {})
  }
  /** Sends a signal to the process only, and returns its exit code. */
  const end = (signal: NodeJS.Signals) => {
    child.kill(signal)
    return exited
  }
  await Promise.race([waitUntilReachable(url), ended])
  return { url, output: () => output, stop, end }
}

async function waitUntilReachable(url: string): Promise<void> {
  for (;;) {
    const isReached = await fetch(url, { signal: AbortSignal.timeout(60_000) }).then(
      () => true,
      () => false,
    )
    if (isReached) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

/** Opens a page in Chromium. */
export async function openPage() {
  await installTools()
  const browser = await launch('Chromium')
  if (!browser) throw new Error('Chromium is not installed')
  const page = await browser.newPage()
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('requestfailed', (request) => complaints.push(`failed: ${(request as { url(): string }).url()}`))
  return {
    /** Opens a page, waits until its list has `count` items, and returns their texts. */
    async items(url: string, count: number): Promise<unknown> {
      await page.goto(url)
      const items = `[...document.querySelectorAll('li')].map((item) => item.textContent)`
      await page.waitForFunction(`${items}.length === ${count}`, { timeout: 60_000 }).catch(() => {})
      return await page.evaluate(items)
    },
    /** Signs in by setting a cookie for the origin of a URL. */
    async visitAs(url: string, cookie: string): Promise<void> {
      await page.goto(url)
      await page.evaluate(`document.cookie = '${cookie}; path=/'`)
    },
    complaints,
    close: () => browser.close(),
  }
}
