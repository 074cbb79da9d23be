import { afterEach, expect, it, vi } from 'vitest'
import { createOutput, type OutputRow } from '../../src/command/output.ts'

afterEach(() => void vi.restoreAllMocks())

/** Returns rows in a format. */
async function write(format: string, rows: readonly OutputRow[], main?: readonly string[]): Promise<string> {
  let text = ''
  vi.spyOn(process.stdout, 'write').mockImplementation((chunk, ...callbacks: unknown[]) => {
    text += chunk
    const written = callbacks.at(-1)
    if (typeof written === 'function') written()
    return true
  })
  await (await createOutput({ format })).write(rows, main)
  vi.restoreAllMocks()
  return text
}

it('cuts a cell of 200 kB to 500 characters in a table, in less than a second', async () => {
  const startedAt = performance.now()
  const table = await write('table', [{ id: 1, title: 'x'.repeat(200_000) }])
  expect(performance.now() - startedAt).toBeLessThan(1000)
  expect(table.match(/x/g)).toHaveLength(500)
  expect(table).toContain('…')
})

it('writes a Markdown table with numbers aligned right, and escapes what would end a cell', async () => {
  const rows = [
    { shorturl: 'https://sho.rt/a', title: 'Tea | cake\n<b>', clicks: 3, campaign: null },
    { shorturl: 'https://sho.rt/b', title: '', clicks: 12, campaign: null },
  ]
  expect(await write('md', rows)).toBe(
    `| shorturl | title | clicks |
| --- | --- | ---: |
| https://sho.rt/a | Tea \\| cake \\<b> | 3 |
| https://sho.rt/b |  | 12 |
`,
  )
})

it('escapes text in Markdown, so that it has no image, link, emphasis or mention, but keeps addresses', async () => {
  const title = '![x](https://spy.example/p.png) [a](b) *b* `c` www.spy.example @everyone &lt;'
  const rows = [{ title, longurl: 'https://shop.example/@tea?a=[1]|2&b_c' }]
  const [, , line] = (await write('md', rows)).split('\n')
  expect(line).toBe(
    '| !\\[x\\](https:\u200b//spy.example/p.png) \\[a\\](b) \\*b\\* \\`c\\` www\u200b.spy.example @\u200beveryone \\&lt; | https://shop.example/%40tea?a=%5B1%5D%7C2&b_c |',
  )
})
