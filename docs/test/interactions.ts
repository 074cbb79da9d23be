import {type Page} from 'puppeteer-core'
import { pressEnd } from './browsers.ts'

/** What a reader does besides reading: each begins at the first page. */
export const interactions: Record<string, (page: Page, site: string) => Promise<void>> = {
  'a name in a program shows its type and what it does': async (page) => {
    // Scrolls first, because scrolling hides what a hover shows.
    await page.locator('.example-code ::-p-text(ensure)').hover()
    await explained(page, 'Makes sure that a link exists')
  },

  'a touch shows it too, and a touch elsewhere hides it': async (page) => {
    await page.tap('.example-code ::-p-text(ensure)')
    await explained(page, 'Makes sure that a link exists')
    await page.tap('.example-caption')
    await page.waitForSelector('.hover:not(:popover-open)')
  },

  'the keyboard stops once at a program, goes from name to name, and closes with Escape': async (page) => {
    await page.focus('.page-copy button')
    await page.keyboard.press('Tab')
    await explained(page, 'import ShortLinkClient')
    await page.keyboard.press('ArrowRight')
    await explained(page, 'const client: ShortLinkClient')
    await page.keyboard.press('Escape')
    await page.waitForSelector('.hover:not(:popover-open)')
    await page.keyboard.press('ArrowLeft')
    await explained(page, 'import ShortLinkClient')
    await page.keyboard.press('Tab')
    await page.waitForSelector('.hover:not(:popover-open)')
    const next = await page.evaluate(() => document.activeElement!.outerHTML)
    if (next.includes('data-hover')) throw new Error(`the Tab key stops again at ${next}`)
  },

  'the editor completes with the types of the package, and runs what was written': async (page) => {
    await openEditor(page)
    await pressEnd(page)
    await page.keyboard.type('\nclient.campai')
    await page.waitForSelector('.cm-tooltip-autocomplete li ::-p-text(campaigns)')
    await page.keyboard.press('Escape')
    await replaceProgram(page, 'const sum: number = 40 + 2\nconsole.log(sum)')
    await clickRun(page)
    await printed(page, '42\n')
  },

  'the editor says what is wrong with a call': async (page) => {
    await openEditor(page)
    await pressEnd(page)
    await page.keyboard.type('\nclient.campagins')
    await page.waitForSelector('.cm-lintRange-error')
  },

  'the editor explains what the mouse is over, and the parameters of a call': async (page) => {
    await openEditor(page)
    await replaceProgram(page, "import { ShortLinkClient } from 'shortlink-sdk'\nnew ShortLinkClient().links.ensure")
    let isExplained = false
    const explained = page.waitForSelector('.cm-tooltip-hover ::-p-text(Makes sure that a link exists)').then(() => {
      isExplained = true
    })
    // The text may still move when the mouse comes, so it comes again.
    for (let tries = 0; !isExplained; tries++) {
      const cursor = await (await page.$('.cm-cursor'))!.boundingBox()
      await page.mouse.move(cursor!.x - 20 - (tries % 2), cursor!.y + 5)
      await Promise.race([explained, new Promise((resolve) => setTimeout(resolve, 3000))])
    }
    await page.keyboard.type('(')
    await page.waitForSelector('.explanation ::-p-text(options?: EnsureOptions)')
  },

  'an endless loop can be stopped': async (page) => {
    await openEditor(page)
    await replaceProgram(page, "console.log('begun')\nfor (;;);")
    await clickRun(page)
    await printed(page, 'begun\n')
    await clickRun(page)
    await status(page, 'Stopped after')
  },

  'a program that prints without end is cut': async (page) => {
    await openEditor(page)
    await replaceProgram(page, 'for (let i = 0; i < 1e5; i++) console.log(i)')
    await clickRun(page)
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
    await clickRun(page)
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
    await clickRun(page)
    await status(page, 'Ran')
    await contains(page, '.request-list', '/domain/add')
    await contains(page, '.panel-budget', '6 of 7')
    await contains(page, '.stored-lists', 'domains 0 → 1 changed')
  },

  'a page is copied as Markdown': async (page, site) => {
    await page.goto(`${site}guides/lists/`)
    await page.click('.page-copy button')
    await waitFor(page, '.page-copy [role=status]', "=== 'Copied'")
    await page.evaluate(() => document.body.appendChild(document.createElement('textarea')).focus())
    await page.keyboard.down('Control')
    await page.keyboard.press('v', { commands: ['Paste'] })
    await page.keyboard.up('Control')
    const markdown = await (await fetch(`${site}guides/lists.md`)).text()
    await page.waitForFunction(
      (text) => document.querySelector<HTMLTextAreaElement>('body > textarea')!.value === text,
      {},
      markdown,
    )
  },

  'the playground applies faults and dialects, and keeps what a run stored': async (page, site) => {
    await page.goto(`${site}playground/`)
    await page.waitForSelector('.example-run:not([disabled])')
    await clickRun(page)
    await status(page, 'Ran')
    await contains(page, '.playground .example-output', 'https://opener.example/')
    await contains(page, '.rows-caption', '5 rows')
    await page.select('[name=effect]', 'after')
    await page.select('[name=method]', 'POST')
    await page.click('[name=add-fault]')
    await page.select('[name=dialect]', 'deployed')
    await setProgram(
      page,
      [
        "import { ShortLinkClient } from 'shortlink-sdk'",
        "const { error } = await new ShortLinkClient().links.create({ url: 'https://shop.example/lost' }).safe()",
        'console.log(error?.code, error?.outcome)',
      ].join('\n'),
    )
    await clickRun(page)
    await contains(page, '.playground .example-output', 'connection unknown')
    // The link of this run is there although its answer was lost, and so is the file of the first run.
    await contains(page, '.rows-caption', '6 rows')
    await page.select('[name=list]', 'files')
    await contains(page, '.rows-caption', '6 rows')
  },

  'a link to the playground holds the program, its faults and its dialect': async (page, site) => {
    await page.goto(`${site}playground/`)
    await page.waitForSelector('.example-share:not([disabled])')
    await setProgram(page, "console.log('shared: ü😀')")
    await page.click('[name=add-fault]')
    // What is folded cannot be clicked on.
    await page.$eval('[name=deviation][value=numbers-as-strings]', (box) => (box as HTMLElement).click())
    await page.click('.example-share')
    await page.waitForFunction("location.hash.startsWith('#program=')")
    const address = page.url()
    await page.goto('about:blank')
    await page.goto(address)
    await status(page, 'Opened from the link')
    await contains(page, '.faults', 'status 503')
    await page.waitForSelector('[name=dialect] option[value=chosen]:checked')
    await page.waitForSelector('[name=deviation][value=numbers-as-strings]:checked')
    await clickRun(page)
    await contains(page, '.playground .example-output', 'shared: ü😀\n')
  },

  'a link to the playground that was cut off says so': async (page, site) => {
    await page.goto(`${site}playground/#program=q1YqKMpPL0rMVbJS`)
    await status(page, 'This link holds no program')
    await page.waitForSelector('.example-run:not([disabled])')
  },
}

async function explained(page: Page, text: string): Promise<void> {
  await page.waitForSelector(`.hover:popover-open ::-p-text(${text})`)
}

async function openEditor(page: Page): Promise<void> {
  await page.click('.example-edit')
  await page.waitForSelector('.cm-focused')
}

/** Not at a place of the page, as `page.click` does: an editor that still grows would move the button away from it. */
async function clickRun(page: Page): Promise<void> {
  await page.$eval('.example-run', (button) => (button as HTMLElement).click())
}

/** Puts a program into the editor of a page that has one from the beginning. */
async function setProgram(page: Page, program: string): Promise<void> {
  await page.click('.cm-content')
  await replaceProgram(page, program)
}

/** Puts the text in at once, since the editor would close brackets that are typed. */
async function replaceProgram(page: Page, program: string): Promise<void> {
  await page.keyboard.down('Control')
  await page.keyboard.press('a')
  await page.keyboard.up('Control')
  await page.evaluate((text) => {
    const clipboardData = new DataTransfer()
    clipboardData.setData('text/plain', text)
    // Firefox has names of its own for what is pasted.
    const pasted = { clipboardData, data: text, dataType: 'text/plain' }
    document.activeElement!.dispatchEvent(new ClipboardEvent('paste', { ...pasted, bubbles: true, cancelable: true }))
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
    await page.waitForFunction(`${text} !== undefined && ${text}${condition}`)
  } catch {
    throw new Error(`${selector}${condition} never came; it is ${JSON.stringify(await page.evaluate(text))}`)
  }
}
