import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { inEditor, launch, pressEnd } from './browsers.ts'
import { serve } from './serve.ts'

/** The most that each may be: the site on a disk, the others compressed on the way to a browser. */
const limits = {
  'the site': 9_900_000,
  'the first page': 45_000,
  'its first run': 110_000,
  'its editor': 1_200_000,
}

/** The sizes, and those that are too large. */
export async function siteSize(folder: string): Promise<{ sizes: string[]; tooLarge: string[] }> {
  let bytes = 0
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    bytes += (await readFile(join(entry.parentPath, entry.name))).length
  }
  const site = await serve(folder, '/')
  const browser = await launch('Chromium')
  try {
    const page = await browser.newPage()
    await page.goto(site.url, { waitUntil: 'networkidle0' })
    const first = await loaded(site.served)
    await page.click('.example-run')
    await page.waitForSelector('run-example[data-state="ended"]')
    const run = await loaded(site.served)
    await page.click('.example-edit')
    await inEditor(page, '.cm-focused')
    // A completion needs all of it.
    await pressEnd(page)
    await page.keyboard.type('\nclient.')
    await inEditor(page, '.cm-tooltip-autocomplete')
    const editor = await loaded(site.served)
    const sizes = {
      'the site': bytes,
      'the first page': first,
      'its first run': run - first,
      'its editor': editor - run,
    }
    const names = Object.keys(limits) as (keyof typeof limits)[]
    return {
      sizes: names.map((name) => `${name}: ${kilobytes(sizes[name])} of at most ${kilobytes(limits[name])}`),
      tooLarge: names.filter((name) => sizes[name] > limits[name]),
    }
  } finally {
    await browser.close()
    site.close()
  }
}

async function loaded(names: ReadonlySet<string>): Promise<number> {
  const sizes = await Promise.all([...names].map(async (name) => gzipSync(await readFile(name)).length))
  return sizes.reduce((sum, size) => sum + size, 0)
}

function kilobytes(bytes: number): string {
  return `${Math.round(bytes / 1000).toLocaleString('en')} kB`
}
