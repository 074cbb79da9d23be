import { existsSync } from 'node:fs'
import puppeteer, { type Browser, type Page } from 'puppeteer-core'

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
  if (name === 'Firefox') return await puppeteer.launch({ browser: 'firefox', executablePath, headless: true })
  const args = [
    '--no-sandbox',
    '--disable-gpu',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
  ]
  return await puppeteer.launch({ executablePath, headless: true, args })
}

/** Waits until something is seen in the editor. It has a shadow root, and changes in there are seen by polling alone, as `visible` does. */
export async function inEditor(page: Page, selector: string): Promise<void> {
  await page.waitForSelector(`>>> ${selector}`, { visible: true })
}

/** Moves to the end of the program. */
export async function pressEnd(page: Page): Promise<void> {
  await page.keyboard.down('Control')
  await page.keyboard.press('End')
  await page.keyboard.up('Control')
}
