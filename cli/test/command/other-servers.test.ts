import { expect, test } from 'vitest'
import { run, sentTo, setUp, shop } from './run.ts'

const header = 'id,shorturl,alias,longurl,title,clicks,domain,campaign,channel'
const row = ([host, domain, campaign, channel]: readonly string[]) =>
  `1,https://${host}/tea,tea,${shop('tea')},Tea,7,${domain},${campaign},${channel}`
const account = {
  domains: [{ domain: 'https://go.example' }],
  campaigns: [{ id: 2, name: 'Another one' }],
  channels: [{ id: 1, name: 'Another one' }],
  links: [{ alias: 'x', url: shop('x') }],
}
const maps = (...given: string[]) => given.flatMap((map) => ['--map', map])

test.each([
  ['campaign', ['old.example', '', '2', ''], ['campaign']],
  ['channel', ['old.example', '', '', '[1]'], ['channel']],
  ['domain', ['old.example', 'https://old.example', '', ''], ['domain']],
  ['campaign on another port', ['go.example:8443', '', '2', ''], ['campaign']],
  ['domain, campaign and channel', ['old.example', 'https://old.example', '2', '1'], ['domain', 'campaign', 'channel']],
  ['campaign, and a domain of this account', ['old.example', 'https://go.example', '2', ''], ['campaign']],
] as const)('a list of another server with %s is rejected before anything is written', async (_, cells, columns) => {
  const { sandbox, write, files } = await setUp({ data: account })
  const file = await write('list.csv', `${header}\n${row(cells)}\n`)
  const leaveOut = columns.map((column) => `--map '${column}='`).join(' ')
  const [first] = columns
  for (const command of [['import'], ['import', '--dry-run'], ['sync'], ['sync', '--apply']]) {
    const { status, stderr } = await run(...command, file)
    expect(status).toBe(2)
    expect(stderr).toContain(`list.csv: has short addresses of ${cells[0]}, which is not on this server`)
    expect(stderr).toContain(`Use ${leaveOut} to leave ${columns.length > 1 ? 'them' : 'it'} out, or`)
    expect(stderr).toContain(`or --map '${first}=${first}' if it is correct`)
  }
  expect(sandbox.requests.every(({ method }) => method === 'GET')).toBe(true)
  expect(await files()).toEqual(['list.csv'])
  expect((await run('import', file, ...maps(...columns.map((column) => `${column}=`)))).status).toBe(0)
  expect(sentTo(sandbox)).toMatchObject([{ url: shop('tea'), custom: 'tea' }])
  for (const column of columns) expect(sentTo(sandbox)[0]).not.toHaveProperty(column)
})

test.each([
  ['campaign', ['old.example', '', '2', ''], { campaign: 2 }],
  ['channel', ['old.example', '', '', '[1]'], { channel: 1 }],
  ['domain', ['old.example', 'https://old.example', '', ''], { domain: 'https://old.example' }],
] as const)('a %s of another host that --map confirms is sent', async (column, cells, sent) => {
  const { sandbox, write } = await setUp({ data: account })
  const file = await write('list.csv', `${header}\n${row(cells)}\n`)
  await run('import', file, ...maps(`${column}=${column}`))
  expect(sentTo(sandbox)).toMatchObject([sent])
})

test('ids in JSON and in the result of an import are checked too', async () => {
  const { sandbox, write } = await setUp({ data: account })
  const link = { shorturl: 'https://old.example/tea', longurl: shop('tea'), alias: 'tea', campaign: 2, channel: [1] }
  const list = await run('import', await write('list.json', JSON.stringify([link])))
  expect(list.stderr).toContain("Use --map 'campaign=' --map 'channel=' to leave them out")
  const rows = [`${shop('a')},2,https://old.example/a,a,true,done,`, `${shop('b')},2,,b,,not-sent,`]
  const file = await write('r.csv', `url,campaign,shorturl,alias,created,outcome,error\n${rows.join('\n')}\n`)
  for (const command of ['import', 'sync']) {
    const { status, stderr } = await run(command, file)
    expect(status).toBe(2)
    expect(stderr).toContain("r.csv: has short addresses of old.example, which is not on this server, so 'campaign'")
  }
  expect(sentTo(sandbox)).toEqual([])
})

test('campaigns by name are looked up, and --campaign is accepted', async () => {
  const { sandbox, write } = await setUp({ data: account })
  const named = await write('a.csv', `${header}\n${row(['old.example', '', 'another one', ''])}\n`)
  expect((await run('import', named)).status).toBe(0)
  const none = await write('b.csv', `${header}\n${row(['old.example', '', '', '']).replaceAll('tea', 'cake')}\n`)
  expect((await run('import', none, '--campaign', '2')).status).toBe(0)
  expect(sentTo(sandbox)).toMatchObject([{ campaign: 2 }, { campaign: 2 }])
})

test.each([
  ['of the server itself', '127.0.0.1', []],
  ['in the list of domains', 'go.example', ['/domains']],
  ['of the newest links', 'sho.rt', ['/domains', '/urls']],
])('a host %s takes no more requests than needed', async (_, host, paths) => {
  const { sandbox, write } = await setUp({ data: account })
  const { host: own } = new URL(process.env.SHORTLINK_BASE_URL!)
  const file = await write(
    'list.json',
    JSON.stringify([
      { shorturl: `https://${host === '127.0.0.1' ? own : host}/tea`, longurl: shop('tea'), alias: 'tea', campaign: 2 },
    ]),
  )
  expect((await run('import', file)).status).toBe(0)
  expect(sandbox.requests.map(({ path }) => path)).toEqual([...paths, '/url/add'])
})

test('nothing is looked up for a list of another server without ids and domains', async () => {
  const { sandbox, write } = await setUp({ data: account })
  expect(
    (await run('import', await write('list.csv', `${header}\n${row(['old.example', '', '', ''])}\n`))).status,
  ).toBe(0)
  expect(sandbox.requests.map(({ path }) => path)).toEqual(['/url/add'])
})
