import { expect, test, vi } from 'vitest'
import { page } from '../helpers/answers.ts'
import { serve } from '../helpers/server.ts'
import { run, setUp, shop } from './run.ts'

test('cells that a spreadsheet would run as a formula are written so that it does not, and read as they were', async () => {
  const titles = ['=1+1', '+1', '-1', '@x', 'plain', 'Shop;=1+1;', 'Tea\t+1', 'list\n-1\r@x', 'a;b']
  const { sandbox, path, read } = await setUp({
    data: { links: titles.map((title, index) => ({ title, alias: `p-${index}`, url: shop(`${index}`) })) },
  })
  await run('list', 'links', '--out', path('all.csv'))
  for (const cell of ["'=1+1", "'+1", "'-1", "'@x", 'plain', '"Shop;\'=1+1;"', '"a;b"']) {
    expect(await read('all.csv')).toContain(`,${cell},`)
  }
  // Whatever a spreadsheet takes for the end of a cell.
  expect(await read('all.csv')).not.toMatch(/[,;\t\r\n][=+\-@]/)
  sandbox.data.links.length = 0
  expect((await run('import', path('all.csv'))).status).toBe(0)
  expect(sandbox.data.links.map(({ title }) => title)).toEqual(titles)
})

test('what list and report write can be imported, and synced without a change', async () => {
  const data = {
    campaigns: [{ id: 1, links: [2] }],
    channels: [{ id: 1, items: [{ type: 'links' as const, id: 1 }] }],
    links: [
      { alias: 'tea', url: shop('tea'), title: 'Tea' },
      { alias: 'cake', url: shop('cake'), title: 'Cake', clicks: 3 },
    ],
  }
  for (const name of ['all.csv', 'all.json', 'all.ndjson']) {
    for (const command of [['list', 'links'], ['report']]) {
      const { sandbox, path } = await setUp({ data })
      expect((await run(...command, '--out', path(name))).status).toBe(0)
      expect((await run('sync', path(name))).stderr).toContain('2 to keep, 0 to delete\nNothing to do.\n')
      sandbox.data.links.length = 0
      expect(await run('import', path(name), '--out', path('r.csv'))).toMatchObject({ status: 0 })
      expect(sandbox.data.links.map(({ alias, longurl, title }) => [alias, longurl, title]).sort()).toEqual([
        ['cake', shop('cake'), 'Cake'],
        ['tea', shop('tea'), 'Tea'],
      ])
    }
  }
})

test('list prints every row, or as many as it is told, of every resource', async () => {
  const { sandbox } = await setUp({
    data: {
      links: Array.from({ length: 150 }, () => ({})),
      campaigns: [{ name: 'Spring \u001b[31mTea' }],
      channels: [],
    },
  })
  expect(JSON.parse((await run('list', 'links', '--json')).stdout)).toHaveLength(150)
  const before = sandbox.requests.length
  expect((await run('list', 'links', '--limit', '7')).stdout.split('\n')).toHaveLength(1 + 7 + 1)
  expect(sandbox.requests).toHaveLength(before + 1)
  expect((await run('list', 'campaigns', '--format', 'table')).stdout).toMatch(/^ID {2}NAME .*\n1 {3}Spring .\[31mTea/)
  for (const resource of ['channels', 'domains', 'files', 'overlays', 'pixels', 'qr', 'splash']) {
    expect((await run('list', resource)).status).toBe(0)
  }
  // CSV of no row has its header, the one of a list with rows.
  expect((await run('list', 'channels')).stdout).toBe('id,name,description,color,starred\n')
  const [header] = (await run('list', 'links', '--format', 'csv')).stdout.split('\n')
  sandbox.data.links.length = 0
  expect((await run('list', 'links', '--format', 'csv')).stdout).toBe(`${header}\n`)
  expect((await run('list', 'channels', '--json')).stdout).toBe('[]\n')
})

test('list prints a row that does not fit as it came, says so, and ends with 1', async () => {
  await setUp()
  const fitting = { id: 1, name: 'Spring', public: true, rotator: false, list: 'https://sho.rt/u/a/b-1' }
  const { origin } = await serve(page('campaigns', [fitting, { ...fitting, id: { odd: 2 } }, null]))
  vi.stubEnv('SHORTLINK_BASE_URL', origin)
  const { status, stdout, stderr } = await run('list', 'campaigns', '--json')
  expect(status).toBe(1)
  expect(JSON.parse(stdout)).toMatchObject([fitting, { id: { odd: 2 } }, { row: null }])
  expect(stderr).toMatch(/^shortlink-sdk list: not as documented, and printed as it came: .*campaigns\.1\.id: expected/)
})

test('call makes any call and prints the response, and an error is one line', async () => {
  const { sandbox } = await setUp()
  const made = await run('call', 'post', '/url/add', '--data', `{"url":"${shop('tea')}","custom":"tea"}`)
  expect(JSON.parse(made.stdout)).toMatchObject({ shorturl: 'https://sho.rt/tea' })
  const listed = await run('call', 'GET', '/urls?limit=1&order=date')
  expect(JSON.parse(listed.stdout).data.urls).toHaveLength(1)
  expect(sandbox.requests.at(-1)!.query).toEqual({ limit: '1', order: 'date' })
  const missing = await run('call', 'GET', '/url/99')
  expect(missing).toMatchObject({ status: 1, stdout: '' })
  expect(missing.stderr).toMatch(/^shortlink-sdk call: GET \/url\/99: 404 .*\n$/)
})

test.each<[string[], string]>([
  [[], 'Usage: shortlink-sdk <command>'],
  [['help', 'lst'], "there is no command 'lst', did you mean list?"],
  [['lst'], "there is no command 'lst', did you mean list?"],
  [['import'], 'Missing required positional argument: FILE'],
  [['import', 'a.csv', 'b.csv'], "unexpected argument 'b.csv'"],
  [['import', 'a.csv', '--dryrun'], 'unknown option --dryrun, did you mean --dry-run?'],
  [['import', 'a.csv', '--out'], '--out needs a value'],
  [['import', 'a.csv', '--out', '/none/r.csv'], "--out: ENOENT: no such file or directory, access '/none'"],
  [['import', 'a.csv', '--out', 'r.xlsx'], 'r.xlsx: expected .csv, .json, .ndjson, .md, .tsv, .txt, not .xlsx'],
  [['import', 'a.csv', '--format', 'xml'], "--format takes table, csv, json, ndjson, md, not 'xml'"],
  [['import', 'a.csv', '--on-taken', 'skip'], "--on-taken takes suffix, not 'skip'"],
  [['import', 'a.csv', '--key', 'secret'], 'set SHORTLINK_API_KEY'],
  [['list', 'links', '--apiKey', 'secret'], 'set SHORTLINK_API_KEY'],
  [['list', 'links', '--token', 'secret'], 'set SHORTLINK_API_KEY'],
  [['list', 'links', '--header', 'secret-cookie'], "--header takes 'Name: value'"],
  [
    ['list', 'links', '--header', 'authorization: Bearer secret'],
    '--header takes no Authorization: set SHORTLINK_API_KEY',
  ],
  [['list', 'links', '--baseUrl', 'x'], 'unknown option --baseUrl, did you mean --base-url?'],
  [['list', 'links', '--auth-scheme', 'raw'], 'unknown option --auth-scheme'],
  [['list'], 'Missing required positional argument: RESOURCE'],
  [['list', 'lnks'], "there is no list of 'lnks', did you mean links?"],
  [['list', 'users'], "there is no list of 'users', but of links"],
  [['list', 'links', '--json', '--format', 'csv'], '--json is not --format csv'],
  [['list', 'links', '--out', '-'], '--out takes a file: leave it out for standard output'],
  [['list', 'links', '--limit', '0'], '--limit takes a number from 1'],
  [['list', 'links', '--json=yes'], '--json takes no value'],
  [['shorten', 'a', 'b', '--alias', 'x'], '--alias is for one URL'],
  [['sync', 'a.csv', '--prune'], '--prune needs a value'],
  [['call', 'GET'], 'Missing required positional argument: PATH'],
  [['call', 'FETCH', '/account'], 'expected one of GET, POST, PUT, PATCH, DELETE'],
  [['call', 'GET', 'account'], 'did you mean "/account"?'],
  [['call', 'POST', '/x', '--data', '{'], '--data: expected JSON'],
])('%j is wrong usage: status 2, and nothing is sent', async (args, message) => {
  const { sandbox } = await setUp()
  const { status, stdout, stderr } = await run(...args)
  expect({ status, stdout }).toEqual({
    status: 2,
    stdout: args.includes('--json') ? expect.stringContaining('"error"') : '',
  })
  expect(stderr).toContain(message)
  expect(stderr).not.toContain('secret')
  expect(sandbox.requests).toEqual([])
})

test.each([
  ['SHORTLINK_BASE_URL', 'no address: set SHORTLINK_BASE_URL, or --base-url'],
  ['SHORTLINK_API_KEY', 'no key: set SHORTLINK_API_KEY'],
])('without %s a command says what to set', async (name, message) => {
  await setUp()
  vi.stubEnv(name, '')
  const { status, stderr } = await run('list', 'links')
  expect(status).toBe(2)
  expect(stderr).toContain(message)
})

test('the address is taken from --base-url, and http beyond this machine only if it is allowed', async () => {
  await setUp()
  vi.stubEnv('SHORTLINK_BASE_URL', '')
  const { status, stderr } = await run('list', 'links', '--base-url', 'http://sho.rt/api')
  expect(status).toBe(2)
  expect(stderr).toContain('--base-url: http: sends the key unencrypted: use https:, or set --allow-insecure-http')
})

test('a table counts the columns that a character takes on a terminal', async () => {
  await setUp({
    data: {
      campaigns: [
        { name: '日本語のページ', slug: 'a' },
        { name: '🎉 party', slug: 'b' },
      ],
    },
  })
  const lines = (await run('list', 'campaigns', '--format', 'table')).stdout.split('\n').slice(0, 3)
  const before = [/^ID {2}NAME {12}(?=\S)/, /^1 {3}日本語のページ {2}(?=\S)/, /^2 {3}🎉 party {8}(?=\S)/]
  for (const [index, line] of lines.entries()) expect(line).toMatch(before[index]!)
})

test('help is a command too, and a misspelled command is answered in two lines', async () => {
  expect((await run('help')).stdout).toBe((await run('--help')).stdout)
  expect((await run('help', 'list')).stdout).toBe((await run('list', '--help')).stdout)
  expect((await run('lst')).stderr.split('\n')).toHaveLength(3)
})

test('every command has its help, with its options, and nothing in it that colours a pipe', async () => {
  for (const name of ['shorten', 'list', 'import', 'report', 'sync', 'call', 'doctor']) {
    const { status, stdout, stderr } = await run(name, '--help')
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).toContain(`shortlink-sdk ${name}`)
    for (const option of ['--json', '--base-url']) expect(stdout).toContain(option)
    expect(stdout).not.toContain('\u001b')
    expect((await run('--help')).stdout).toContain(`  ${name} `)
  }
})
