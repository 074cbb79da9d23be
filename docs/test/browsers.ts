import { existsSync } from 'node:fs'
import puppeteer, { type Browser, type BrowserContext, type Page } from 'puppeteer-core'

export type BrowserName = 'Chromium' | 'Firefox'

const paths = {
  Chromium: ['/usr/bin/chromium', '/usr/bin/google-chrome'],
  Firefox: ['/usr/bin/firefox-esr', '/usr/bin/firefox'],
}

/**
 * Starts a headless browser of this machine.
 *
 * @throws {Error} if there is none.
 */
export async function launch(name: BrowserName): Promise<Browser> {
  const executablePath = paths[name].find(existsSync)
  if (executablePath === undefined) throw new Error(`${name} is not installed: looked for ${paths[name].join(' and ')}`)
  const browser = name === 'Firefox' ? 'firefox' : 'chrome'
  const args = name === 'Firefox' ? [] : ['--no-sandbox', '--disable-gpu', '--no-first-run']
  return await puppeteer.launch({ browser, executablePath, args, headless: true })
}

/** Opens an address in a new tab, and collects the errors that the browser reports there, those of the policy too. */
export async function open(
  browser: Browser | BrowserContext,
  address: string,
): Promise<{ page: Page; problems: string[] }> {
  const page = await browser.newPage()
  // Long, because CI is busy. Nothing waits so long if all is well.
  page.setDefaultTimeout(120_000)
  const problems: string[] = []
  page.on('console', (message) => {
    if (['error', 'warn'].includes(message.type())) problems.push(message.text())
  })
  page.on('pageerror', (error) => problems.push(String(error)))
  await page.setViewport({ width: 1280, height: 900 })
  // To its end, because a page that is left while it loads a module reports that as an error.
  await page.goto(address, { waitUntil: 'networkidle0' })
  return { page, problems }
}
