/**
 * Tries the built site in Chromium and in Firefox: runs every example of every page and compares what it prints, looks for
 * violations of the policy, errors, missing files, and bars to those who cannot see or use a mouse. The site is in a
 * sub-folder for the one browser and not for the other.
 */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Browser, Page } from 'puppeteer-core'
import { docs } from '../site/folders.ts'
import { type BrowserName, launch } from './browsers.ts'
import { Checks } from './checks.ts'
import { interactions } from './interactions.ts'
import { brokenLinks, htmlFiles } from './links.ts'
import { markdownProblems } from './markdown.ts'
import { missedQueries, queryCount } from './queries.ts'
import { type Served, serve } from './serve.ts'
import { siteSize } from './size.ts'

const folder = `${docs}dist/`
const inPage = await readFile(new URL('./in-page.js', import.meta.url), 'utf8')
const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const desktop = { width: 1280, height: 900 }
const phone = { width: 360, height: 740 }

interface Ran {
  line: string
  expected: string
  printed: string
  status: string
}

/** Examples of a page: how many there are, and how many did what the page says. */
type Counts = { all: number; good: number }

const checks = new Checks()
const only = process.argv[2]
const pages = (await htmlFiles(folder))
  .map((name) => name.replace(/index\.html$/, ''))
  .filter((path) => only === undefined || path.includes(only))

/** Opens a page in a new tab, and notes what goes wrong there. */
async function open(browser: Browser, address: string): Promise<{ page: Page; problems: string[] }> {
  const page = await browser.newPage()
  // Long, because CI is busy. Nothing waits so long if all is well.
  page.setDefaultTimeout(120_000)
  const problems: string[] = []
  page.on('console', (message) => {
    if (['error', 'warn'].includes(message.type())) problems.push(`console: ${message.text()}`)
  })
  page.on('pageerror', (error) => problems.push(`uncaught: ${error}`))
  await page.setViewport(desktop)
  await page.evaluateOnNewDocument(inPage)
  await page.goto(address)
  return { page, problems }
}

async function tryPage(browser: Browser, name: BrowserName, site: Served, path: string): Promise<Counts> {
  const title = `${name}, /${path}`
  const { page, problems } = await open(browser, site.url + path)
  try {
    checks.add(`${title}: fits ${desktop.width} px`, (await page.evaluate('siteTest.overflow()')) as string[])
    if (name === 'Chromium') await page.evaluate(axe)
    if (name === 'Chromium') checks.add(`${title}: axe, light`, await violations(page, 'light'))

    const ran = (await page.evaluate('siteTest.runExamples()')) as Ran[]
    for (const { line, expected, printed, status } of ran) {
      const isSame = printed.trimEnd() === expected.trimEnd() && status.startsWith('Ran')
      checks.add(
        `${title}: example at line ${line}`,
        isSame ? [] : [status, `printed:  ${printed}`, `expected: ${expected}`],
      )
    }

    await page.setViewport(phone)
    await page.evaluate('siteTest.openDetails()')
    checks.add(`${title}: fits ${phone.width} px`, (await page.evaluate('siteTest.overflow()')) as string[])
    if (name === 'Chromium')
      checks.add(`${title}: axe, dark, on a phone, after the runs`, await violations(page, 'dark'))

    checks.add(`${title}: follows its policy`, (await page.evaluate('siteTest.violations')) as string[])
    checks.add(`${title}: has no errors`, problems)
    const good = ran.filter(({ expected, printed }) => printed.trimEnd() === expected.trimEnd()).length
    return { all: ran.length, good }
  } finally {
    await page.close()
  }
}

async function violations(page: Page, theme: 'light' | 'dark'): Promise<string[]> {
  await page.evaluate(`siteTest.setTheme('${theme}')`)
  return (await page.evaluate('siteTest.axe()')) as string[]
}

async function tryBrowser(name: BrowserName, base: string): Promise<Map<string, Counts>> {
  const counts = new Map<string, Counts>()
  const site = await serve(folder, base)
  const browser = await launch(name)
  try {
    for (const path of pages) {
      await checks.try(`${name}, /${path}: can be tried`, async () => {
        counts.set(path, await tryPage(browser, name, site, path))
      })
    }
    for (const [title, interact] of Object.entries(interactions)) {
      await checks.try(`${name}: ${title}`, async () => {
        const { page, problems } = await open(browser, site.url)
        try {
          await interact(page, site.url)
          problems.push(...((await page.evaluate('siteTest.violations')) as string[]))
          if (problems.length > 0) throw new Error(problems.join('\n'))
        } finally {
          await page.close()
        }
      })
    }
    checks.add(`${name}: finds every file in ${base}`, site.missing)
  } finally {
    await browser.close()
    site.close()
  }
  return counts
}

checks.add('every link leads somewhere', await brokenLinks(folder))
checks.add('every page has a copy as Markdown', await markdownProblems(folder))
checks.add(`each of ${queryCount} searches finds its page first`, await missedQueries(folder))
const [chromium, firefox] = await Promise.all([tryBrowser('Chromium', '/a/b/'), tryBrowser('Firefox', '/')])

const cell = (counts: Counts | undefined) => (counts ? `${counts.good} of ${counts.all}` : 'failed')
const width = Math.max(...pages.map((path) => path.length)) + 1
console.log(`${'page'.padEnd(width)}  examples  Chromium  Firefox`)
let examples = 0
for (const path of pages) {
  const all = chromium.get(path)?.all ?? 0
  examples += all
  console.log(
    `/${path.padEnd(width - 1)}  ${String(all).padStart(8)}  ${cell(chromium.get(path)).padStart(8)}  ${cell(firefox.get(path)).padStart(7)}`,
  )
}
console.log(`${pages.length} pages, ${examples} examples`)
const { sizes, tooLarge } = await siteSize(folder)
checks.add('no part is larger than it may be', tooLarge)
console.log(sizes.join('\n'))
for (const failure of checks.failures) console.log(`\nFAILED ${failure}`)
console.log(`\n${checks.passed} passed, ${checks.failures.length} failed`)
process.exitCode = checks.failures.length === 0 ? 0 : 1
