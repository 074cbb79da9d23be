/** Writes pictures of the built site into `screenshots/`, to be looked at. */
import { mkdir } from 'node:fs/promises'
import type { Page } from 'puppeteer-core'
import { docs } from '../site/folders.ts'
import { inEditor, launch, pressEnd } from './browsers.ts'
import { serve } from './serve.ts'

const desktop = { width: 1280, height: 900 }
const phone = { width: 390, height: 844, deviceScaleFactor: 2 }

interface Shot {
  path: string
  theme?: 'dark'
  size?: typeof desktop
  act?(page: Page): Promise<void>
}

const shots: Record<string, Shot> = {
  home: { path: '' },
  guide: { path: 'guides/errors/', act: runFirst },
  api: { path: 'api/campaigns/' },
  playground: {
    path: 'playground/',
    async act(page) {
      await page.waitForSelector('.example-run:not([disabled])')
      await page.select('[name=effect]', 'after')
      await page.click('[name=add-fault]')
      await page.click('.example-run')
      await page.waitForSelector('sandbox-playground[data-state="ended"]')
    },
  },
  dark: { path: 'guides/lists/', theme: 'dark', act: runFirst },
  phone: { path: 'guides/errors/', size: phone, act: runFirst },
  editor: {
    path: '',
    theme: 'dark',
    async act(page) {
      await page.click('.example-edit')
      await inEditor(page, '.cm-focused')
      await pressEnd(page)
      await page.keyboard.type('\nclient.')
      await inEditor(page, '.cm-tooltip-autocomplete li')
    },
  },
  search: {
    path: '',
    async act(page) {
      await page.click('.search-open')
      await page.type('.search-input', 'retry')
      await page.waitForSelector('.search-results a')
    },
  },
}

async function runFirst(page: Page): Promise<void> {
  await page.click('.example-run')
  await page.waitForSelector('run-example[data-state="ended"]')
  await page.click('run-example .request-list summary')
  await page.$eval('run-example', (example) => example.scrollIntoView({ block: 'center' }))
}

const site = await serve(`${docs}dist`, '/')
const browser = await launch('Chromium')
await mkdir(`${docs}screenshots`, { recursive: true })
for (const [name, { path, theme, size = desktop, act }] of Object.entries(shots)) {
  const page = await browser.newPage()
  await page.setViewport(size)
  await page.evaluateOnNewDocument(`localStorage.setItem('starlight-theme', '${theme ?? 'light'}')`)
  const response = await page.goto(site.url + path)
  if (response?.ok()) {
    await act?.(page)
    await page.screenshot({ path: `${docs}screenshots/${name}.png` })
    console.log(`screenshots/${name}.png`)
  } else console.log(`${name}: there is no /${path}`)
  await page.close()
}
await browser.close()
site.close()
