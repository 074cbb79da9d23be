import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Browser } from 'puppeteer-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { launch, open } from './browsers.ts'
import { folder, type Served, serve } from './serve.ts'

let browser: Browser
let site: Served
beforeAll(async () => {
  site = await serve()
  browser = await launch('Chromium')
})
afterAll(async () => {
  await browser?.close()
  site.close()
})

const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => name.replaceAll('\\', '/'))
const read = (name: string) => readFileSync(folder + name, 'utf8')
const copies = files.filter((name) => name.endsWith('.md'))

it('has a copy of each page as Markdown, which llms.txt links to', () => {
  const pages = files.filter((name) => name.endsWith('index.html') && !name.startsWith('playground/'))
  const names = pages.map((name) => (name === 'index.html' ? 'index.md' : name.replace('/index.html', '.md')))
  expect(copies.toSorted()).toEqual(names.toSorted())
  expect(links('llms.txt').toSorted()).toEqual([...names, 'llms-full.txt'].toSorted())
})

it.each([...copies, 'llms.txt', 'llms-full.txt'])(
  '%s has links that lead somewhere, and nothing for the site',
  (name) => {
    expect(links(name).filter((path) => !existsSync(folder + path))).toEqual([])
    expect(read(name)).not.toMatch(/^<!--|^```\w+ /m)
  },
)

/** The files of the site that a Markdown file links to. */
function links(name: string): string[] {
  const prose = read(name).replaceAll(/^```[\s\S]*?^```$/gm, '')
  return [...prose.matchAll(/\]\((?!https?:)([^)#:]+)/g)].map(([, path = '']) => posix.join(posix.dirname(name), path))
}

it('stays as small as it is: kilobytes of the site, and compressed of what a reader loads', async () => {
  const bytes = files.map((name) => (/\.\w+$/.test(name) ? readFileSync(folder + name).length : 0))
  site.found.clear()
  // A context of its own has nothing in its cache.
  const { page } = await open(await browser.createBrowserContext(), site.url)
  await page.waitForNetworkIdle()
  const first = loaded()
  await page.click('.example-run')
  await page.waitForSelector('run-example[data-state="ended"]')
  const run = loaded()
  await page.click('.example-edit')
  await page.waitForSelector('.cm-focused')
  const sizes = { site: sum(bytes), page: first, run: run - first, editor: loaded() - run }
  const kilobytes = Object.entries(sizes).map(([part, size]) => [part, Math.round(size / 1000)] as const)
  console.log(kilobytes.map(([part, size]) => `${part} ${size} kB`).join(', '))
  const limits = { site: 9_100, page: 70, run: 170, editor: 160 }
  expect(kilobytes.filter(([part, size]) => size > limits[part as keyof typeof limits])).toEqual([])
})

/** Compressed bytes of everything that was loaded. */
function loaded(): number {
  const names = [...site.found].map((path) => folder + path.replace(/\/$/, '/index.html'))
  return sum(names.map((name) => gzipSync(readFileSync(name)).length))
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
