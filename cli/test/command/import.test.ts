import { expect, test, vi } from 'vitest'
import { run, setUp, shop } from './run.ts'

test('import creates a link for every row, and the result is the file with the link and outcome of each row', async () => {
  const { sandbox, write, read, files } = await setUp()
  const text = `url,custom,title\n${shop('tea')},tea,Tea\n${shop('cake')},cake,"Cake, with cream"\n${shop('lamps')},,\n`
  const [file, out] = [await write('links.csv', text), await write('r.csv', '')]
  expect(await run('import', file, '--out', out)).toEqual({
    status: 0,
    stdout: '',
    stderr: '3 links\n3 created, 0 already existed, unchanged, 0 failed\n',
  })
  const random = sandbox.data.links.find(({ longurl }) => longurl === shop('lamps'))!.alias
  expect(await read('r.csv')).toBe(`url,custom,title,shorturl,alias,created,outcome,error
${shop('tea')},tea,Tea,https://sho.rt/tea,tea,true,done,
${shop('cake')},cake,"Cake, with cream",https://sho.rt/cake,cake,true,done,
${shop('lamps')},,,https://sho.rt/${random},${random},true,done,
`)
  // The journal is kept, because it records which row got which link. The lock is removed.
  expect(await files()).toEqual(['links.csv', 'links.csv.journal', 'r.csv'])
})

test('links that were created and links that were found are counted separately', async () => {
  const { write } = await setUp({ data: { links: [{ alias: 'tea', url: shop('tea') }] } })
  const file = await write('links.csv', `url,custom\n${shop('tea')},tea\n${shop('cake')},cake\n`)
  const { stdout, stderr } = await run('import', file)
  expect(stderr).toContain('1 created, 1 already existed, unchanged, 0 failed\n')
  expect(stdout).toContain('https://sho.rt/tea,tea,false,done,')
})

test('import --dry-run estimates the time and prints invalid rows, needs no key, and sends nothing', async () => {
  const { sandbox, write } = await setUp()
  vi.stubEnv('SHORTLINK_RATE_LIMIT', '30')
  vi.stubEnv('SHORTLINK_BASE_URL', undefined)
  vi.stubEnv('SHORTLINK_API_KEY', undefined)
  const rows = Array.from({ length: 1000 }, (_, index) => `${shop(String(index))},p-${index}`)
  const good = await run('import', await write('good.csv', `url,custom\n${rows.join('\n')}`), '--dry-run')
  expect(good).toEqual({
    status: 0,
    stdout: '',
    stderr: expect.stringMatching(/^1,000 links, about 34 minutes at 30 a minute\nrow 2: /),
  })
  const file = await write('bad.csv', `url,custom,expiry\n,"t\nea",\n${shop('x')},a,\n${shop('y')},b,24.12.2030\n`)
  const bad = await run('import', file, '--dry-run')
  expect(bad.status).toBe(1)
  expect(bad.stderr).toContain(`${file}, row 2: url: is missing, expected an absolute URL`)
  expect(bad.stderr).toContain(`${file}, row 4: expiry: expected YYYY-MM-DD HH:MM[:SS], or`)
  expect(bad.stderr).toContain('shortlink import: 2 rows cannot be imported')
  expect((await run('import', file)).stderr).toContain('no address: set SHORTLINK_BASE_URL')
  expect(sandbox.requests).toEqual([])
})

test('a row whose alias leads to another address fails, and the error names that address', async () => {
  const { write } = await setUp({ data: { links: [{ alias: 'tea', url: shop('other') }] } })
  const file = await write('links.ndjson', `{"longurl":"${shop('tea')}","alias":"tea"}\n`)
  const refused = await run('import', file)
  expect(refused.status).toBe(1)
  // The message does not name the request that found it.
  expect(JSON.parse(refused.stdout).error).toBe('https://sho.rt/tea already leads to https://shop.example/other')
})

test('import names a link that the server created with another alias, and the command that goes on', async () => {
  const { sandbox, write } = await setUp({ dialect: ['alias-ignored'], data: { links: [] } })
  const { status, stderr } = await run(
    'import',
    await write('links.csv', `url,Vanity\n${shop('tea')},tea\n`),
    '--map',
    'Vanity=custom',
  )
  expect(status).toBe(1)
  const [{ id, alias }] = sandbox.data.links as unknown as [{ id: number; alias: string }]
  expect(stderr).toMatch(
    new RegExp(
      `the server created https://sho.rt/${alias} \\(id ${id}, [-: \\d]{19}\\) instead of the alias "tea"\\. Delete it if`,
    ),
  )
  expect(stderr).toMatch(/Then: shortlink import \S+links.csv --map 'Vanity=' --no-aliases\n$/)
})

test('import --dry-run shows the first three rows without passwords, and aliases that differ only in case', async () => {
  const { sandbox, write } = await setUp()
  const rows = ['Tea,New tea,s3cret', 'tea,,', 'cake,,', 'lamps,,'].map(
    (cells, index) => `${shop(`${index}`)},${cells}`,
  )
  const file = await write('links.csv', `url,custom,title,password\n${rows.join('\n')}\n`)
  const { status, stderr } = await run('import', file, '--dry-run')
  expect(status).toBe(0)
  expect(stderr).toBe(
    `4 links
row 2: url=${shop('0')}, custom=Tea, title=New tea, password=(a password)
row 3: url=${shop('1')}, custom=tea
row 4: url=${shop('2')}, custom=cake
rows 2 and 3: Tea and tea are the same alias on some servers
`,
  )
  expect(sandbox.requests).toEqual([])
})
