import type { Page } from 'puppeteer-core'

/** What a reader does besides reading: each begins at the first page. */
export const interactions: Record<string, (page: Page, site: string) => Promise<void>> = {
  'the editor completes with the types of the package, and runs what was written': async (page) => {
    await openEditor(page)
    await pressEnd(page)
    await page.keyboard.type('\nclient.campai')
    await page.waitForSelector('.suggest-widget.visible .monaco-list-row[aria-label^="campaigns"]')
    await page.keyboard.press('Escape')
    await replaceProgram(page, 'const sum: number = 40 + 2\nconsole.log(sum)')
    await page.click('.example-run')
    await printed(page, '42\n')
  },

  'the editor says what is wrong with a call': async (page) => {
    await openEditor(page)
    await pressEnd(page)
    await page.keyboard.type('\nclient.campagins')
    await page.waitForSelector('.squiggly-error')
  },

  'an endless loop can be stopped': async (page) => {
    await openEditor(page)
    await replaceProgram(page, "console.log('begun')\nfor (;;);")
    await page.click('.example-run')
    await printed(page, 'begun\n')
    await page.click('.example-run')
    await status(page, 'Stopped after')
  },

  'a program that prints without end is cut': async (page) => {
    await openEditor(page)
    await replaceProgram(page, 'for (let i = 0; i < 1e5; i++) console.log(i)')
    await page.click('.example-run')
    await status(page, 'Ran')
    const lines = (await output(page)).split('\n')
    if (lines.length > 2100) throw new Error(`${lines.length} lines`)
  },

  'a program reaches no server and evaluates no text': async (page) => {
    await openEditor(page)
    await replaceProgram(
      page,
      [
        "for (const go of [() => eval('1'), () => importScripts('/x.js'), () => new XMLHttpRequest(), () => new WebSocket('ws://localhost')])",
        "  try { go(); console.log('possible') } catch { console.log('refused') }",
        "const address = 'data:text/javascript,1'",
        "console.log(await import(address).then(() => 'possible', () => 'refused'))",
      ].join('\n'),
    )
    await page.click('.example-run')
    await printed(page, 'refused\n'.repeat(5))
  },

  'a sandbox that an example makes is shown': async (page) => {
    await openEditor(page)
    await replaceProgram(
      page,
      [
        "import { ShortLinkClient } from 'shortlink-sdk'",
        "import { createSandbox } from 'shortlink-sdk/testing'",
        'const sandbox = createSandbox({ rateLimit: { requests: 7, interval: 1000 } })',
        'const client = new ShortLinkClient(sandbox.clientOptions)',
        "await client.domains.create({ domain: 'https://own.example' })",
      ].join('\n'),
    )
    await page.click('.example-run')
    await status(page, 'Ran')
    await contains(page, '.request-list', '/domain/add')
    await contains(page, '.panel-budget', '6 of 7')
    await contains(page, '.stored-lists', 'domains 3 → 4 changed')
  },

  'the search finds a page, and leads there': async (page) => {
    await page.keyboard.down('Control')
    await page.keyboard.press('k')
    await page.keyboard.up('Control')
    await page.waitForSelector('.search-dialog[open]')
    await page.type('.search-input', 'own sandbox fault')
    await page.waitForSelector('.search-results a mark')
    const target = await page.$eval('.search-results a', (link) => (link as HTMLAnchorElement).href)
    await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')])
    if (page.url() !== target) throw new Error(`${page.url()} is not ${target}`)
    if ((await page.title()).includes('404')) throw new Error(`nothing is at ${target}`)
  },

  'the playground applies faults and dialects, and keeps what a run stored': async (page, site) => {
    await page.goto(`${site}playground/`)
    await page.waitForSelector('.example-run:not([disabled])')
    await page.click('.example-run')
    await status(page, 'Ran')
    await contains(page, '.playground .example-text', '31 Summer sale')
    await page.select('[name=effect]', 'after')
    await page.select('[name=method]', 'POST')
    await page.click('[name=add-fault]')
    await page.select('[name=dialect]', 'deployed')
    await page.click('.example-run')
    await contains(page, '.playground .example-text', 'connection unknown')
    // The campaign of this run is there although its answer was lost.
    await contains(page, '.rows-caption', '32 rows')
  },
}

async function openEditor(page: Page): Promise<void> {
  await page.click('.example-edit')
  await page.waitForSelector('.monaco-editor .view-line')
  await page.waitForFunction("document.activeElement.closest('.monaco-editor') !== null")
}

async function pressEnd(page: Page): Promise<void> {
  await page.keyboard.down('Control')
  await page.keyboard.press('End')
  await page.keyboard.up('Control')
}

/** Puts the text in at once, since the editor would close brackets that are typed. */
async function replaceProgram(page: Page, program: string): Promise<void> {
  await page.keyboard.down('Control')
  await page.keyboard.press('a')
  await page.keyboard.up('Control')
  await page.evaluate((text) => {
    const field = document.activeElement!
    // In Chromium the editor has no field of text, and in Firefox a script cannot fill the clipboard of an event.
    if (field instanceof HTMLTextAreaElement) return void document.execCommand('insertText', false, text)
    const clipboardData = new DataTransfer()
    clipboardData.setData('text/plain', text)
    field.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
  }, program)
}

async function output(page: Page): Promise<string> {
  return await page.$eval('.example-text', ({ textContent }) => textContent)
}

async function printed(page: Page, text: string): Promise<void> {
  await waitFor(page, '.example-text', `=== ${JSON.stringify(text)}`)
}

async function status(page: Page, start: string): Promise<void> {
  await waitFor(page, '.example-status', `.startsWith(${JSON.stringify(start)})`)
}

async function contains(page: Page, selector: string, text: string): Promise<void> {
  await waitFor(page, selector, `.includes(${JSON.stringify(text)})`)
}

/** Waits until the text of an element is as it should be; says what it is if it never becomes so. */
async function waitFor(page: Page, selector: string, condition: string): Promise<void> {
  const text = `document.querySelector(${JSON.stringify(selector)})?.textContent`
  try {
    await page.waitForFunction(`${text} !== undefined && ${text}${condition}`, { timeout: 60_000 })
  } catch {
    throw new Error(`${selector}${condition} never came; it is ${JSON.stringify(await page.evaluate(text))}`)
  }
}
