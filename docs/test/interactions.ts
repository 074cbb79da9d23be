import type { Page } from 'puppeteer-core'

/** The kinds of types that a program can have. */
const typedProgram = `import { type Campaign, CampaignCreate, ShortLinkClient } from 'shortlink-sdk'
import type { Page } from 'shortlink-sdk'

interface Named<T extends number = number> {
  readonly name: string
  links?: T
}
enum State {
  Draft = 'draft',
}
abstract class Counter<T> {
  constructor(protected readonly items: readonly T[]) {}
  abstract count(): number
}
class Squares extends Counter<number> {
  override count(): number {
    return this.items.length ** 2
  }
}
function pick<T, K extends keyof T>(from: T, key: K): T[K]
function pick(from: Record<string, unknown>, key: string): unknown {
  return from[key]
}
const isNamed = (value: unknown): value is Named => typeof value === 'object' && value !== null && 'name' in value
const campaign = { name: 'spring', links: 3 } satisfies CampaignCreate & Named as Named<3>
console.log(\`\${pick(campaign, 'name')}: \${campaign.links!} links, \${State.Draft as string}\`)
const pages: Page<Campaign>[] = [await new ShortLinkClient().campaigns.list()]
const unknown: unknown = campaign
console.log(isNamed(unknown) && unknown, new Squares([1, 2, 3]).count(), pages[0]!.items.length > 0)`

/** What a reader does besides reading: each begins at the first page. */
export const interactions: Record<string, (page: Page, site: string) => Promise<void>> = {
  'an edited program loses its types, and runs': async (page) => {
    await openEditor(page)
    await replaceProgram(page, typedProgram)
    await clickRun(page)
    await printed(page, "spring: 3 links, draft\n{ name: 'spring', links: 3 } 9 true\n")
    await contains(page, '.request-list', '/campaigns')
  },

  'the editor marks a syntax error, and a run prints its line': async (page) => {
    await openEditor(page)
    await replaceProgram(page, 'const one: number = 1\nconst two = = 2')
    await page.waitForSelector('.cm-lintRange-error')
    await clickRun(page)
    await printed(page, 'Uncaught SyntaxError: Unexpected token, line 2\nconst two = = 2\n            ^\n')
    await status(page, 'Failed after')
    await page.waitForSelector('.printed-error')
    await replaceProgram(page, "console.log('mended')")
    await clickRun(page)
    await printed(page, 'mended\n')
    await page.waitForSelector('.cm-editor:not(:has(.cm-lintRange-error))')
  },

  'an error of an edited program is printed': async (page) => {
    await openEditor(page)
    await replaceProgram(page, "function fail(): never {\n  throw new RangeError('too far')\n}\nfail()")
    await clickRun(page)
    await printed(page, 'Uncaught RangeError: too far\n')
    await status(page, 'Failed after')
    await replaceProgram(page, "import chunk from 'lodash'\nconsole.log(chunk)")
    await clickRun(page)
    await contains(page, '.printed-error', 'This page has no lodash. It has shortlink-sdk, ')
  },

  'the Tab key indents in the editor, and leaves it after Escape': async (page) => {
    await openEditor(page)
    await replaceProgram(page, 'go()')
    await page.keyboard.press('Tab')
    await contains(page, '.cm-content', '  go()')
    await page.keyboard.press('Escape')
    await page.keyboard.press('Tab')
    await page.waitForSelector('.example-run:focus')
    await page.keyboard.press('Enter')
    await printed(page, 'Uncaught ReferenceError: go is not defined\n')
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
