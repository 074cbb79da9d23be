import { spawn } from 'node:child_process'
import { cp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type BrowserName, launch, type Page } from './browsers.ts'
import { freePort } from './listen.ts'
import type { Finding } from './report.ts'
import { must } from './shell.ts'
import { linkTools, root, toolModules } from './tools.ts'

/**
 * Runs the example page in a browser: lists rows, uploads with a progress bar and creates an app-opener link through
 * the proxy. Writes screenshots to `pictures`.
 */
export async function tryExample(name: BrowserName, folder: string, pictures: string): Promise<Finding[]> {
  const browser = await launch(name)
  if (!browser) return [{ name: `example, ${name}`, outcome: 'skipped', detail: `${name} is not installed` }]
  const server = await startExample(folder)
  try {
    await server.ready
    const page = await browser.newPage()
    const complaints: string[] = []
    page.on('pageerror', (error) => complaints.push(String(error)))
    const picture = async (what: string) =>
      await writeFile(join(pictures, `${name.toLowerCase()}-${what}.png`), await page.screenshot({ fullPage: true }))
    await drive(page, server.url, folder, picture)
    const violations = (await page.evaluate('violations')) as string[]
    if (violations.length || complaints.length) throw new Error([...violations, ...complaints].join('\n'))
    return [{ name: `example, ${name}`, outcome: 'passed', detail: 'lists, uploads, creates an app-opener link' }]
  } catch (error) {
    return [{ name: `example, ${name}`, outcome: 'failed', detail: `${(error as Error).stack}\n${server.output()}` }]
  } finally {
    await browser.close()
    server.stop()
  }
}

async function drive(page: Page, url: string, folder: string, picture: (what: string) => Promise<void>): Promise<void> {
  await page.setViewport({ width: 1100, height: 900 })
  await page.goto(url)
  await page.evaluate(`
    globalThis.violations = []
    document.addEventListener('securitypolicyviolation', (event) => violations.push(event.violatedDirective))
    globalThis.steps = []
    new MutationObserver(() => steps.push(document.getElementById('upload-bar').value))
      .observe(document.getElementById('upload-percent'), { childList: true })
  `)
  await page.waitForFunction(`document.querySelectorAll('#campaigns li').length === 8`)
  await page.waitForFunction(`document.querySelectorAll('#files li').length === 8`)
  await picture('start')

  const big = join(folder, 'Holiday film 2026.mp4')
  await writeFile(big, new Uint8Array(64_000_000))
  await (await page.$('#file'))!.uploadFile(big)
  await page.waitForFunction(`document.getElementById('upload-done').textContent !== ''`)
  await page.waitForFunction(`document.querySelectorAll('#files li').length === 9`)
  const steps = (await page.evaluate('steps')) as number[]
  if (!steps.some((share) => share > 0 && share < 1))
    throw new Error(`the progress bar did not move: ${steps.join(' ')}`)
  const output = (await page.evaluate(`document.getElementById('files').textContent`)) as string
  if (!output.includes('Holiday film 2026.mp4')) throw new Error(`the file is not listed: ${output}`)

  await page.type('#url', 'https://www.youtube.com/watch?v=dQw4w9WgXcQ')
  await page.click('#opener button')
  await page.waitForFunction(`document.querySelectorAll('#opener-targets dt').length >= 2`)
  const provider = await page.evaluate(`document.getElementById('opener-provider').textContent`)
  if (provider !== 'YouTube') throw new Error(`the provider is ${provider}`)
  await picture('done')

  await page.setViewport({ width: 420, height: 900 })
  await picture('narrow')
  const wide = await page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth')
  if (wide) throw new Error('the page is wider than a narrow screen')
}

/** Builds the example with Vite on the packed package, and starts it. */
async function startExample(folder: string) {
  const example = join(folder, 'browser')
  await cp(join(root, 'examples/browser'), example, {
    recursive: true,
    filter: (path) => !/node_modules|dist/.test(path.slice(root.length)),
  })
  await linkTools(folder, 'srvx', 'vite')
  await must(process.execPath, [join(toolModules, 'vite/bin/vite.js'), 'build', '--logLevel', 'error'], {
    cwd: example,
  })
  const port = await freePort()
  const child = spawn(process.execPath, [join(example, 'server.mjs')], {
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  const ready = new Promise<void>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        output += chunk
        if (output.includes('Open ')) resolve()
      })
    }
    child.on('exit', () => reject(new Error(`the example ended: ${output}`)))
  })
  return { url: `http://127.0.0.1:${port}/`, ready, output: () => output, stop: () => void child.kill('SIGKILL') }
}
