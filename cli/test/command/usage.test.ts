import { expect, test, vi } from 'vitest'
import { run, setUp } from './run.ts'

test('--header is sent with every request, and may be repeated', async () => {
  const { sandbox } = await setUp()
  const headers = ['Cookie: wall=passed; a=b', 'X-Shop:tea']
  expect((await run('list', 'campaigns', ...headers.flatMap((header) => ['--header', header]))).status).toBe(0)
  expect(sandbox.requests[0]!.headers).toMatchObject({ cookie: 'wall=passed; a=b', 'x-shop': 'tea' })
})

test('with --json a failure is an object with an error, also for wrong usage', async () => {
  const { sandbox, write } = await setUp()
  sandbox.fail({ path: '/campaigns', status: 404 })
  const missing = await run('list', 'campaigns', '--json')
  expect(JSON.parse(missing.stdout)).toEqual({ error: expect.stringContaining('404'), code: 'not_found' })
  const usage = await run('import', await write('a.csv', 'name\nx\n'), '--json')
  expect(JSON.parse(usage.stdout)).toEqual({ error: expect.stringContaining('expected a column url') })
  // The rows have the errors, so no second document follows.
  const rows = await run('import', await write('b.csv', 'url,custom\nnonsense,a\n'), '--json')
  expect(JSON.parse(rows.stdout)).toMatchObject([{ custom: 'a', outcome: 'not-sent', error: expect.any(String) }])
})

test.each<[string[], string]>([
  [[], 'Usage: shortlink <command>'],
  [['help', 'lst'], "there is no command 'lst', did you mean list?"],
  [['toString'], "there is no command 'toString'"],
  [['lst'], "there is no command 'lst', did you mean list?"],
  [['import'], 'missing argument FILE'],
  [['import', 'a.csv', 'b.csv'], "unexpected argument 'b.csv'"],
  [['import', 'a.csv', '--dryrun'], 'unknown option --dryrun, did you mean --dry-run?'],
  [['import', 'a.csv', '--out'], '--out needs a value'],
  [['import', 'a.csv', '--out', '/none/r.csv'], "--out: ENOENT: no such file or directory, access '/none'"],
  [['import', 'a.csv', '--out', 'r.xlsx'], 'r.xlsx: expected .csv, .tsv, .json, .ndjson, .md, .txt, not .xlsx'],
  [['import', 'a.csv', '--format', 'xml'], "--format takes table, csv, json, ndjson, md, not 'xml'"],
  [['import', 'a.csv', '--reuse'], 'unknown option --reuse'],
  [['import', 'a.csv', '--key', 'secret'], 'set SHORTLINK_API_KEY'],
  [['list', 'links', '--apiKey', 'secret'], 'set SHORTLINK_API_KEY'],
  [['list', 'links', '--token', 'secret'], 'set SHORTLINK_API_KEY'],
  [['list', 'links', '--header', 'secret-cookie'], "--header takes 'Name: value'"],
  [
    ['list', 'links', '--header', 'authorization: Bearer secret'],
    '--header does not accept Authorization: set SHORTLINK_API_KEY',
  ],
  [['list', 'links', '--baseUrl', 'x'], 'unknown option --baseUrl, did you mean --base-url?'],
  [['list', 'links', '--auth-scheme', 'raw'], 'unknown option --auth-scheme'],
  [['list'], 'missing argument RESOURCE'],
  [['list', 'lnks'], "there is no list of 'lnks', did you mean links?"],
  [['list', 'users'], "there is no list of 'users', expected "],
  [['list', 'links', '--json', '--format', 'csv'], '--json contradicts --format csv'],
  [['list', 'links', '--out', '-'], '--out takes a file. Leave it out to write to standard output'],
  [['list', 'links', '--limit', '0'], '--limit takes a number from 1'],
  [['list', 'links', '--json=yes'], '--json takes no value'],
  [['shorten', 'a', 'b', '--alias', 'x'], '--alias needs exactly one URL as an argument, received 2'],
  [['sync', 'a.csv', '--prune'], '--prune needs a value'],
  [['sync', 'a.csv', '--prune', '--apply'], '--prune needs a value'],
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
  ['SHORTLINK_BASE_URL', 'no address: set SHORTLINK_BASE_URL, or use --base-url'],
  ['SHORTLINK_API_KEY', 'no key: set SHORTLINK_API_KEY'],
])('without %s, the error names what to set', async (name, message) => {
  await setUp()
  vi.stubEnv(name, '')
  const { status, stderr } = await run('list', 'links')
  expect(status).toBe(2)
  expect(stderr).toContain(message)
})

test('--base-url sets the address, which may be http to another machine only with --allow-insecure-http', async () => {
  await setUp()
  vi.stubEnv('SHORTLINK_BASE_URL', '')
  const { status, stderr } = await run('list', 'links', '--base-url', 'http://sho.rt/api')
  expect(status).toBe(2)
  expect(stderr).toContain('--base-url: http: sends the key unencrypted: use https:, or set --allow-insecure-http')
})

test('help is a command too, and the error for a misspelled command has two lines', async () => {
  expect((await run('help')).stdout).toBe((await run('--help')).stdout)
  expect((await run('help', 'list')).stdout).toBe((await run('list', '--help')).stdout)
  expect((await run('lst')).stderr.split('\n')).toHaveLength(3)
})

test('the help of every command lists its options, without colors in a pipe', async () => {
  for (const name of ['shorten', 'list', 'import', 'report', 'sync', 'doctor']) {
    const { status, stdout, stderr } = await run(name, '--help')
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    // The same sections as in the help of all commands, and an example.
    expect(stdout).toMatch(new RegExp(`^Usage: shortlink ${name} .*\\[options\\]\n\n[A-Z].*\n`))
    expect(stdout).toMatch(new RegExp(`\nOptions:\n {2}--.*\nExamples:\n {2}shortlink ${name}\\b`, 's'))
    for (const option of ['--json', '--base-url', 'SHORTLINK_BASE_URL and SHORTLINK_API_KEY.'])
      expect(stdout).toContain(option)
    expect(stdout).not.toContain('\u001b')
    expect((await run('--help')).stdout).toContain(`  ${name} `)
  }
  expect((await run('--help')).stdout).toMatch(/\nOptions:\n {2}--help .*\nExamples:\n {2}shortlink /s)
})

test('every example in the help is accepted', async () => {
  const { write } = await setUp()
  for (const name of ['import', 'report', 'sync', 'list']) {
    const { stdout } = await run(name, '--help')
    const examples = /Examples:\n((?: {2}.*\n)+)/.exec(stdout)![1]!.trim().split('\n')
    for (const example of examples) {
      const [, , ...args] = [...example.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain!)
      const folder = (await write('x', '')).slice(0, -1)
      await write('links.csv', 'url,custom\n')
      await write('bitly.csv', 'Link,Custom Link,Destination URL\n')
      const placed = args.map((arg) => (/\.csv$/.test(arg) ? `${folder}${arg}` : arg))
      expect([example, (await run(name, ...placed)).status]).toEqual([example, 0])
    }
  }
})
