import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { launch } from './browsers.ts'
import { serve } from './serve.ts'

/** What the site takes on a disk, and what its first page and its editor take on the way to a browser, compressed. */
export async function siteSize(folder: string): Promise<string> {
  let bytes = 0
  let files = 0
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    bytes += (await readFile(join(entry.parentPath, entry.name))).length
    files += 1
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
    await page.waitForSelector('.monaco-editor .view-line')
    await page.waitForNetworkIdle()
    const editor = await loaded(site.served)
    return [
      `the site: ${files} files, ${kilobytes(bytes)}`,
      `the first page: ${kilobytes(first)} compressed; its first run: ${kilobytes(run - first)} more; its editor: ${kilobytes(editor - run)} more`,
    ].join('\n')
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
