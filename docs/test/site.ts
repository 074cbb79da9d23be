import { readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import type { Browser, Page } from 'puppeteer-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BrowserName, launch, open } from './browsers.ts'
import { interactions } from './interactions.ts'
import { folder, type Served, serve } from './serve.ts'

const pages = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('index.html'))
  .map((name) => name.replaceAll('\\', '/').replace(/index\.html$/, ''))
const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/**
 * Opens every page in a browser: runs its examples and compares what they print, and looks for errors, missing files,
 * and bars to people who cannot see or use a mouse. Then does what readers do.
 */
export function testSiteIn(name: BrowserName): void {
  let browser: Browser
  let site: Served
  beforeAll(async () => {
    site = await serve()
    browser = await launch(name)
  })
  afterAll(async () => {
    await browser?.close()
    site.close()
  })

  describe(`every page in ${name}`, () => {
    it.each(pages)('/%s runs its examples, fits a phone, and has no errors', async (path) => {
      const { page, problems } = await open(browser, site.url + path)
      expect.soft(await overflow(page), 'wider than the window').toEqual([])
      if (name === 'Chromium') expect.soft(await violations(page, 'light'), 'accessibility').toEqual([])
      await runExamples(page)
      await page.setViewport({ width: 360, height: 740 })
      // Opens what the results of runs keep folded.
      await page.$$eval('main details', (all) => {
        for (const details of all) details.open = true
      })
      expect.soft(await overflow(page), 'wider than a phone').toEqual([])
      if (name === 'Chromium')
        expect.soft(await violations(page, 'dark'), 'accessibility on a phone, after the runs').toEqual([])
      expect.soft(problems, 'errors').toEqual([])
      await page.close()
    })
  })

  describe(`a reader in ${name}`, () => {
    it.each(Object.entries(interactions))('%s', async (_, interact) => {
      const { page, problems } = await open(browser, site.url)
      await interact(page, site.url)
      expect(problems).toEqual([])
      await page.close()
    })
  })

  it('finds every file that a page asks for', () => {
    expect(site.missing).toEqual([])
  })
}

/** Runs all examples of a page at once, and compares what they print with what the page says. */
async function runExamples(page: Page): Promise<void> {
  const results = () =>
    page.$$eval('run-example', (examples) =>
      examples.map((example) => ({
        line: example.getAttribute('data-line'),
        printed: example.querySelector('.example-text')!.textContent.trimEnd(),
        status: example.querySelector('.example-status')!.textContent.replace(/ in .*/, ''),
      })),
    )
  const expected = (await results()).map((result) => ({ ...result, status: 'Ran' }))
  await page.$$eval('run-example .example-run', (buttons) => {
    for (const button of buttons) (button as HTMLElement).click()
  })
  await page.waitForFunction("!document.querySelector('run-example:not([data-state=ended])')", { polling: 100 })
  expect.soft(await results()).toEqual(expected)
}

/** Elements that make the page wider than the window. */
async function overflow(page: Page): Promise<string[]> {
  return await page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement
    if (scrollWidth <= clientWidth) return []
    return [...document.querySelectorAll('main *')]
      .filter((element) => element.getBoundingClientRect().right > clientWidth + 1)
      .map((element) => element.outerHTML.slice(0, 120))
  })
}

/** Violations of the rules of WCAG 2, levels A and AA. */
async function violations(page: Page, theme: 'light' | 'dark'): Promise<string[]> {
  await page.evaluate(axe)
  return await page.evaluate(async (theme) => {
    document.documentElement.dataset.theme = theme
    // Observers of sizes make focusable what has just begun to scroll, and are told in the second frame.
    for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame)
    // Transitions of colors would be measured half-way.
    for (const animation of document.getAnimations()) animation.finish()
    const { run } = (globalThis as unknown as { axe: { run(...values: unknown[]): Promise<AxeResults> } }).axe
    // The label of Starlight's button for the search leaves out the key that is shown in it.
    const { violations } = await run(
      { exclude: ['site-search'] },
      { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] },
    )
    return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 120)}`))
  }, theme)
}
