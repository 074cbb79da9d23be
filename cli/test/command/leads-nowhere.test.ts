import { expect, test } from 'vitest'
import { run, sentTo, setUp, shop } from './run.ts'

const addresses: [url: string, advice: string][] = [
  ['htps://shop.example/a', 'did you mean https://shop.example/a?'],
  ['ttps://shop.example/a', 'did you mean https://shop.example/a?'],
  ['https://https://shop.example/a', 'did you mean https://shop.example/a?'],
  ['http://https//shop.example/a', 'did you mean https://shop.example/a?'],
  ['https://www.https://shop.example/a', 'did you mean https://shop.example/a?'],
  ['C:\\Users\\ann\\a.html', 'visitors cannot open it'],
  ['file:///C:/a.html', 'visitors cannot open it'],
  ['blob:https://shop.example/0', 'visitors cannot open it'],
  ['about:blank', 'visitors cannot open it'],
  ['view-source:https://shop.example/a', 'visitors cannot open it'],
  ['https://shop..example/a', 'visitors cannot open it'],
  ['https://shop,example/a', 'visitors cannot open it'],
]
const expected = 'url: expected an absolute URL with its scheme, such as https://shop.example or myapp://open, received'
const table = (rows: readonly string[]) => `alias;url\n${rows.map((url, index) => `a${index};${url}\n`).join('')}`

test.each(addresses)('an import of %s makes no link, and says what is wrong', async (url, advice) => {
  const { sandbox, write } = await setUp()
  const file = await write('x.csv', table([url, shop('b')]))
  const problem = `${expected} ${JSON.stringify(url)}: ${advice}`
  const plan = await run('import', file, '--dry-run')
  expect(plan.status).toBe(1)
  expect(plan.stderr).toContain(`${file}, row 2: ${problem}\n`)
  const { status, stdout } = await run('import', file, '--json')
  expect(status).toBe(1)
  expect(JSON.parse(stdout)[0]).toMatchObject({ outcome: 'not-sent', error: problem })
  expect(sentTo(sandbox)).toEqual([{ url: shop('b'), custom: 'a1' }])
  const shortened = await run('shorten', url)
  expect(shortened).toMatchObject({ status: 1, stdout: '\n' })
  expect(shortened.stderr).toContain(problem)
  const synced = await run('sync', file, '--apply')
  expect(synced.status).toBe(2)
  expect(synced.stderr).toContain(`shortlink sync: ${file}, row 2: ${problem}\n`)
  expect(sandbox.data.links).toHaveLength(1)
})

test.each<[string, string, string, string?]>([
  ['', 'tea', 'BASE/tea'],
  ['', 'tea', 'BASE/tea?utm_source=flyer'],
  ['https://tea.example', 'tea', 'https://tea.example/tea'],
  ['https://tea.example', 'tea', 'HTTP://TEA.EXAMPLE/tea/#top'],
])('on the domain "%s", the link %s may not lead to %s', async (domain, custom, url) => {
  const { sandbox, write } = await setUp()
  const address = url.replace('BASE', process.env.SHORTLINK_BASE_URL!.replace(/\/api$/, ''))
  const file = await write('x.csv', `url,custom,domain\n${address},${custom},${domain}\n`)
  const { status, stdout } = await run('import', file, '--json')
  expect(status).toBe(1)
  const error = 'url: expected the address that the link leads to, received its own short address'
  expect(JSON.parse(stdout)).toMatchObject([{ outcome: 'not-sent', error }])
  expect(sentTo(sandbox)).toEqual([])
})

test('a link may lead to another short address, and to a page with the name of its alias', async () => {
  const { sandbox, write } = await setUp()
  const base = process.env.SHORTLINK_BASE_URL!.replace(/\/api$/, '')
  const rows = [`${base}/tea,lamps`, `${base}/shop/boots,boots`, `https://shop.example/cups,cups`]
  const { status } = await run('import', await write('x.csv', `url,custom\n${rows.join('\n')}\n`))
  expect(status).toBe(0)
  expect(sandbox.data.links).toHaveLength(3)
})

test('a sync keeps and updates a link whose address leads nowhere, but neither creates nor changes it so', async () => {
  const { sandbox, write } = await setUp()
  const url = 'htps://shop.example/tea'
  await run('import', await write('x.csv', `url,custom,title\n${shop('tea')},tea,Tea\n${shop('b')},b,B\n`))
  sandbox.data.links[0]!.longurl = url
  const same = await write('same.csv', `url,custom,title\n${url},tea,Tea\n`)
  expect(await run('sync', same, '--check')).toMatchObject({ status: 0 })
  const title = await write('title.csv', `url,custom,title\n${url},tea,Green tea\n`)
  expect(await run('sync', title, '--apply', '--may-clear')).toMatchObject({ status: 0 })
  expect(sandbox.data.links[0]).toMatchObject({ longurl: url, title: 'Green tea' })
  for (const alias of ['new', 'b']) {
    const file = await write('other.csv', `url,custom\n${url},${alias}\n`)
    const { status, stderr } = await run('sync', file, '--apply', '--may-clear')
    expect(status).toBe(2)
    expect(stderr).toContain(`shortlink sync: ${file}, row 2: ${expected} "${url}": did you mean`)
  }
  expect(sandbox.data.links.map(({ longurl }) => longurl).sort()).toEqual([url, shop('b')].sort())
})

test('a row that is done is not checked', async () => {
  const { sandbox, write, path, read } = await setUp()
  await run('import', await write('x.csv', `url,custom\n${shop('tea')},tea\n`), '--out', path('r.csv'))
  const url = 'htps://shop.example/tea'
  sandbox.data.links[0]!.longurl = url
  const result = await write('r2.csv', (await read('r.csv')).replace(shop('tea'), url))
  expect(await run('import', result)).toMatchObject({ status: 0 })
})
