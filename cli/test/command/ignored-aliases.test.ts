/** The story of a user whose server ignores aliases. */
import { expect, test } from 'vitest'
import { run, sentTo, setUp, shop } from './run.ts'

test('with --no-aliases, an import goes on after a stray, and its result can be imported again', async () => {
  const { sandbox, write, read, path } = await setUp({ dialect: ['alias-ignored'], data: { links: [] } })
  const file = await write(
    'links.csv',
    `url,title\n${['tea', 'cake', 'lamps'].map((name) => `${shop(name)},${name}\n`).join('')}`,
  )
  const first = await run('import', file, '--out', path('r.csv'))
  expect(first.status).toBe(1)
  expect(first.stderr).toContain('Delete it if this import made it, or let the server choose the aliases: --no-aliases')
  // The file has no column of aliases that the command could leave out.
  expect(first.stderr).toContain(`Then: shortlink import ${file} --out ${path('r.csv')} --no-aliases\n`)
  const [stray] = sandbox.data.links
  const result = await read('r.csv')
  expect(result.split('\n')[0]).toBe('url,title,shorturl,alias,created,outcome,error,stray,strayId')
  expect(result.split('\n')[1]).toMatch(
    new RegExp(`^${shop('tea')},tea,,[a-z2-9]{7},,unknown,".*",https://sho.rt/${stray!.alias},${stray!.id}$`),
  )
  expect(result.split('\n')[2]).toMatch(new RegExp(`^${shop('cake')},cake,,[a-z2-9]{7},,not-sent,not tried yet,,$`))

  // The same command looks for the stray, and ends before it sends anything.
  const again = await run('import', file, '--out', path('r2.csv'))
  expect(again.status).toBe(1)
  expect(again.stderr).toContain(`the server created https://sho.rt/${stray!.alias} (id ${stray!.id}) instead of`)
  expect(sandbox.data.links).toHaveLength(1)
  expect((await read('r2.csv')).split('\n')[1]).toContain(`https://sho.rt/${stray!.alias},${stray!.id}`)

  const ended = await run('import', file, '--no-aliases', '--out', path('r3.csv'))
  expect(ended).toMatchObject({ status: 0, stderr: expect.stringContaining('2 created, 1 already existed') })
  expect(sandbox.data.links.map(({ longurl }) => longurl)).toEqual(['tea', 'cake', 'lamps'].map(shop))
  expect((await read('r3.csv')).split('\n')[0]).toBe('url,title,shorturl,alias,created,outcome,error')
})

test('the result of a stray is treated like its journal: the link is looked up first', async () => {
  const { sandbox, write, path } = await setUp({ dialect: ['alias-ignored'], data: { links: [] } })
  await run('import', await write('links.csv', `url\n${shop('tea')}\n${shop('cake')}\n`), '--out', path('r.csv'))
  const sent = sentTo(sandbox).length
  const again = await run('import', path('r.csv'), '--out', path('r2.csv'))
  expect(again.stderr).toContain('(id 1) instead of')
  expect(sentTo(sandbox)).toHaveLength(sent)
  expect((await run('import', path('r2.csv'), '--no-aliases', '--out', path('r3.csv'))).status).toBe(0)
  expect(sandbox.data.links).toHaveLength(2)
})

test('a deleted stray is forgotten, and the row is as it was before', async () => {
  const { sandbox, write, path } = await setUp({ dialect: ['alias-ignored'], data: { links: [] } })
  const file = await write('links.csv', `url,custom\n${shop('tea')},tea\n${shop('cake')},\n`)
  const { stderr } = await run('import', file, '--out', path('r.csv'))
  expect(stderr).toContain("--no-aliases --map 'custom='")
  sandbox.data.links.splice(0)
  const ended = await run('import', path('r.csv'), '--no-aliases', '--map', 'custom=', '--out', path('r2.csv'))
  expect(ended.status).toBe(0)
  expect(sandbox.data.links.map(({ longurl }) => longurl)).toEqual(['tea', 'cake'].map(shop))
})

test('a stray of a row with an alias is the link of the row once the alias is left out', async () => {
  const { sandbox, write, path } = await setUp({ dialect: ['alias-ignored'], data: { links: [] } })
  const file = await write('links.csv', `url,custom\n${shop('tea')},tea\n`)
  await run('import', file, '--out', path('r.csv'))
  const ended = await run('import', file, '--no-aliases', '--map', 'custom=', '--out', path('r2.csv'))
  expect(ended.status).toBe(0)
  expect(sandbox.data.links).toHaveLength(1)
})

test('an alias with a line separator fails its row, and the next run reads the journal', async () => {
  const { sandbox, write, path } = await setUp({ data: { links: [] } })
  const file = await write(
    'links.json',
    JSON.stringify([{ url: shop('tea'), custom: 'a\u2028b' }, { url: shop('cake') }]),
  )
  for (const turn of [1, 2]) {
    const { status, stderr } = await run('import', file, '--out', path(`r${turn}.csv`))
    expect([status, stderr.includes('cannot be read')]).toEqual([1, false])
  }
  expect(sentTo(sandbox)).toHaveLength(1)
})

test('importing a result again compares campaigns and channels by their ids', async () => {
  const { write, path } = await setUp({ data: { campaigns: [{ name: 'Opening' }], channels: [{ name: 'News' }] } })
  const file = await write('links.csv', `url,campaign,channel\n${shop('tea')},Opening,News\n`)
  const { status, stderr } = await run('import', file, '--out', path('r.csv'))
  expect({ status, stderr }).toMatchObject({ status: 0 })
  const again = await run('import', path('r.csv'), '--out', path('r2.csv'))
  expect(again).toMatchObject({ status: 0, stderr: '1 link, 1 to check\n1 done before, nothing sent\n' })
})

test('a row for which the server returns an existing link fails, and the import goes on', async () => {
  const { sandbox, write, read, path } = await setUp({
    dialect: ['url-existing'],
    data: {
      links: [
        { url: shop('tea'), alias: 'old' },
        { url: shop('x'), alias: 'newest' },
      ],
    },
  })
  const file = await write('links.csv', `url,custom\n${shop('tea')},tea\n${shop('cake')},\n${shop('lamps')},\n`)
  const { status } = await run('import', file, '--no-aliases', '--out', path('r.csv'))
  expect(status).toBe(1)
  const [, tea, cake] = (await read('r.csv')).split('\n')
  expect(tea).toMatch(/,tea,,rejected,the server returned the existing link https:\/\/sho\.rt\/old \(id 1\)$/)
  expect(cake).toMatch(/,true,done,$/)
  expect(sandbox.data.links).toHaveLength(4)
})
