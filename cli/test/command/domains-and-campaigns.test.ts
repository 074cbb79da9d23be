import { expect, test } from 'vitest'
import { run, sentTo, setUp, shop } from './run.ts'

test('campaigns and channels may be names, and a row with an unknown name fails with similar names', async () => {
  const { sandbox, write } = await setUp({
    data: { campaigns: [{ name: 'Spring' }, { name: 'Summer sale' }], channels: [{ name: 'Flyers' }], links: [] },
  })
  const rows = [`tea,spring,Flyers`, `cake,2,`, `lamps,Sprng,`, `boots,Summer,`, `hats,,1`, `x,,`]
  const file = await write(
    'links.csv',
    `url,custom,campaign,channel\n${rows.map((row) => `${shop(row.split(',')[0]!)},${row}`).join('\n')}\n`,
  )
  const { status, stdout } = await run('import', file, '--campaign', 'Summer sale')
  expect(status).toBe(1)
  expect(
    sentTo(sandbox).map((body) =>
      Object.values(body as object)
        .slice(1)
        .map(String),
    ),
  ).toEqual([
    ['tea', '1', '1'],
    ['cake', '2'],
    ['hats', '2', '1'],
    ['x', '2'],
  ])
  expect(stdout).toContain(`"campaign: no campaign is called ""Sprng"", did you mean 'Spring'?"`)
  expect(stdout).toContain(`"campaign: no campaign is called ""Summer"", did you mean 'Summer sale'?"`)
  const again = await run('import', file, '--campaign', 'Summer sale')
  expect(again.stderr).toMatch(
    /^6 links, 4 done before\n0 created, 0 already existed, unchanged, 2 failed; 4 done before\n/,
  )
  const wrong = await run('import', file, '--campaign', 'Autumn')
  expect(wrong.status).toBe(2)
  expect(wrong.stderr).toContain(`--campaign: no campaign is called "Autumn", available: 'Spring' and 'Summer sale'`)
})

test('a number is a campaign id, else a name, and an error if it is both', async () => {
  const campaigns = [
    { id: 7, name: 'Sale' },
    { id: 12, name: '7' },
    { id: 13, name: '2026' },
  ]
  const { sandbox, write } = await setUp({ data: { campaigns, links: [] } })
  const rows = ['2026', '12', '7', '99'].map((campaign, index) => `${shop(String(index))},${campaign}\n`)
  const file = await write('links.csv', `url,campaign\n${rows.join('')}`)
  const { stdout } = await run('import', file)
  expect(sentTo(sandbox)).toEqual([
    { url: shop('0'), campaign: 13 },
    { url: shop('1'), campaign: 12 },
  ])
  expect(stdout).toContain('"campaign: ""7"" is the id of ""Sale"" and the name of id 12, use ""Sale"" or 12"')
  expect(stdout).toContain('not-sent,"campaign: no campaign is called ""99""')
  expect((await run('import', file, '--campaign', '7')).stderr).toContain('--campaign: "7" is the id of "Sale"')
  expect(sandbox.requests.filter(({ path }) => path === '/campaigns')).toHaveLength(2)
})

const ownDomains = { data: { domains: [{ domain: 'https://go.example' }, { domain: 'https://b.example' }] } }

test('--domain sets the domain of rows without one', async () => {
  const { write } = await setUp(ownDomains)
  const file = await write('links.csv', `url,custom,domain\n${shop('a')},a,\n${shop('b')},b,https://b.example\n`)
  const { stdout } = await run('import', file, '--domain', 'https://go.example')
  expect(stdout.split('\n').slice(1, 3)).toEqual([
    `${shop('a')},a,,https://go.example/a,a,true,done,`,
    `${shop('b')},b,https://b.example,https://b.example/b,b,true,done,`,
  ])
})

test('a domain is sent in the spelling of the server; an unknown domain fails its row, and in --domain it is wrong usage', async () => {
  const { sandbox, write } = await setUp(ownDomains)
  const rows = ['GO.example', 'http://b.example/', 'nope.example', 'go.exampel', '127.0.0.1']
  const file = await write('links.csv', `url,domain\n${rows.map((domain) => `${shop('a')},${domain}`).join('\n')}\n`)
  const plan = await run('import', file, '--dry-run')
  expect(plan.status).toBe(1)
  expect(plan.stderr).toContain('row 4: domain: no domain is called "nope.example", available: \'https://go.example\'')
  expect(plan.stderr).toContain('row 5: domain: no domain is called "go.exampel", did you mean')
  expect(sandbox.requests.map(({ path }) => path)).toEqual(['/domains', '/urls'])
  await run('import', file)
  expect(sentTo(sandbox).slice(0, 2)).toEqual([
    { url: shop('a'), domain: 'https://go.example' },
    { url: shop('a'), domain: 'https://b.example' },
  ])
  const requests = sandbox.requests.length
  for (const args of [
    ['import', file],
    ['shorten', shop('a')],
  ]) {
    const { status, stderr } = await run(...args, '--domain', 'nope.example')
    expect({ status, stderr }).toMatchObject({ status: 2, stderr: expect.stringContaining('--domain: no domain is') })
    expect(stderr).not.toContain('--map')
  }
  expect(sandbox.requests.slice(requests).every(({ method }) => method === 'GET')).toBe(true)
})

test('a domain of another shortener fails its rows, and the error suggests --map', async () => {
  const { sandbox, write } = await setUp()
  const rows = ['a', 'b', 'c'].map((name) => `${shop(name)},dub.sh\n`)
  const file = await write('links.csv', `url,Domain\n${rows.join('')}`)
  const { status, stderr } = await run('import', file, '--dry-run')
  expect(status).toBe(1)
  expect(stderr).toMatch(
    /3 rows: domain: no domain is .* to the main domain of the server, use --map 'domain=' \(rows 2, 3, 4\)\n/,
  )
  expect((await run('import', file, '--map', 'domain=')).status).toBe(0)
  expect(sentTo(sandbox)).toHaveLength(3)
})

test('a domain of a link in the account is accepted', async () => {
  const { sandbox, write } = await setUp({ data: { links: [{ alias: 'x', url: shop('x') }] } })
  const file = await write('links.csv', `url,domain\n${shop('a')},sho.rt\n`)
  expect((await run('import', file)).status).toBe(0)
  expect(sentTo(sandbox)).toEqual([expect.objectContaining({ domain: 'https://sho.rt' })])
})
