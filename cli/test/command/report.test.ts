import { expect, it, vi } from 'vitest'
import { page } from '../../../test/helpers/responses.ts'
import { serve } from '../../../test/helpers/server.ts'
import { run, setUp, shop } from './run.ts'

const spring = { id: 1, name: 'Spring | sale', links: [1, 2] }
const data = {
  campaigns: [spring],
  channels: [{ id: 1, name: 'Mail', items: [{ type: 'links' as const, id: 3 }] }],
  links: [
    { id: 1, alias: 'tea', url: shop('tea'), title: 'Tea', clicks: 10 },
    { id: 2, alias: 'cake', url: shop('cake'), title: 'Cake', clicks: 5 },
    { id: 3, alias: 'lamps', url: shop('lamps'), title: 'Lamps', clicks: 7 },
  ],
}

it('prints how many clicks are new, which links are new, the total, and which links are gone', async () => {
  const { sandbox, path, files } = await setUp({ data })
  const first = await run('report', '--out', path('monday.csv'))
  expect(first).toEqual({ status: 0, stdout: '', stderr: '3 links, 22 clicks\n' })

  const { links } = sandbox.data
  links[0]!.clicks += 4
  links.splice(1, 1)
  links.push({ ...links[0]!, id: 9, alias: 'maps', longurl: shop('maps'), clicks: 2 })
  const second = await run('report', '--previous', path('monday.csv'), '--json')
  expect(JSON.parse(second.stdout)).toMatchObject([
    { alias: 'maps', clicks: 2, newClicks: 2, isNew: true },
    { alias: 'lamps', clicks: 7, newClicks: 0, isNew: false },
    { alias: 'tea', clicks: 14, newClicks: 4, isNew: false },
  ])
  expect(second.stderr).toBe(
    `3 links, 23 clicks, 6 of them new since ${path('monday.csv')}\ngone: https://sho.rt/cake, 5 clicks\n`,
  )
  expect(await files()).toEqual(['monday.csv'])
})

it('reads 100 links per request, and works if the server rejects a limit', async () => {
  const links = Array.from({ length: 250 }, (_, index) => ({ alias: `p-${index}`, url: shop(`${index}`) }))
  const { sandbox } = await setUp({ data: { links } })
  expect((await run('report', '--json')).stderr).toBe('250 links, 0 clicks\n')
  expect(sandbox.requests).toHaveLength(3)
  await setUp({ data: { links }, dialect: ['limit-refused'] })
  expect((await run('report', '--json')).stderr).toBe('250 links, 0 clicks\n')
})

it('does not count clicks that the server does not show as zero', async () => {
  await setUp()
  const link = { id: 1, shorturl: 'https://sho.rt/tea', longurl: shop('tea') }
  const { origin } = await serve(page('urls', [link]))
  vi.stubEnv('SHORTLINK_BASE_URL', origin)
  const { stdout, stderr } = await run('report', '--by', 'domain', '--json')
  expect(JSON.parse(stdout)).toEqual([{ domain: 'sho.rt', links: 1, clicks: null }])
  expect(stderr).toBe('1 link, and the server does not show their clicks\n')
})

it.each([
  ['campaign', '| Spring \\| sale | 2 | 18 | 3 |\n| no campaign | 1 | 8 | 1 |\n'],
  ['channel', '| no channel | 2 | 18 | 3 |\n| Mail | 1 | 8 | 1 |\n'],
  ['domain', '| sho.rt | 3 | 26 | 4 |\n'],
])('groups by %s with names, sorted by new clicks', async (by, rows) => {
  const { sandbox, path } = await setUp({ data })
  await run('report', '--out', path('monday.csv'))
  for (const [index, clicks] of [2, 1, 1].entries()) sandbox.data.links[index]!.clicks += clicks
  const { stdout } = await run('report', '--previous', path('monday.csv'), '--by', by, '--format', 'md')
  expect(stdout).toBe(`| ${by} | links | clicks | newClicks |\n| --- | ---: | ---: | ---: |\n${rows}`)
})

it('groups by domain even if the server leaves out the scheme of short addresses', async () => {
  await setUp()
  const links = ['sho.rt/tea', 'https://sho.rt/cake', 'go.example/tea'].map((shorturl, id) => ({
    id: id + 1,
    shorturl,
  }))
  const { origin } = await serve(page('urls', links, { result: 3 }))
  vi.stubEnv('SHORTLINK_BASE_URL', origin)
  const { stdout } = await run('report', '--by', 'domain', '--json')
  expect(JSON.parse(stdout)).toMatchObject([
    { domain: 'sho.rt', links: 2 },
    { domain: 'go.example', links: 1 },
  ])
})

it('distinguishes campaigns of the same name by their ids', async () => {
  await setUp({ data: { ...data, campaigns: [spring, { id: 2, name: spring.name, links: [3] }] } })
  const { stdout } = await run('report', '--by', 'campaign', '--json')
  expect(JSON.parse(stdout)).toMatchObject([
    { campaign: 'Spring | sale', clicks: 15 },
    { campaign: 'Spring | sale (2)', clicks: 7 },
  ])
})

it('writes fewer clicks than before as negative numbers, which have no apostrophe in CSV', async () => {
  const { write } = await setUp({ data })
  const { stdout } = await run('report', '--previous', await write('monday.csv', 'id,clicks\n1,15\n2,5\n3,7\n'))
  expect(stdout).toMatch(/^1,https:\/\/sho\.rt\/tea,tea,Tea,https:\/\/shop\.example\/tea,10,-5,/m)
})

it('lists ten links that are gone, and counts the others', async () => {
  const { write } = await setUp({ data: { links: [{ id: 13, alias: 'tea', url: shop('tea') }] } })
  const rows = Array.from({ length: 13 }, (_, id) => `${id + 1},https://sho.rt/${id === 12 ? 'tea' : id + 1},3\n`)
  const { stderr } = await run(
    'report',
    '--previous',
    await write('monday.csv', `id,shorturl,clicks\n${rows.join('')}`),
  )
  expect(stderr.match(/^gone: https:\/\/sho\.rt\/\d+, 3 clicks$/gm)).toHaveLength(10)
  expect(stderr).toMatch(/\ngone: 2 more\n$/)
})

it('rejects a report of another server, and writes nothing', async () => {
  const { write, path, files } = await setUp({ data })
  const rows = (count: number) => Array.from({ length: count }, (_, id) => `${id + 1},https://other.example/x${id},3\n`)
  const file = await write('monday.csv', `id,shorturl,clicks\n${rows(10).join('')}`)
  const { status, stdout, stderr } = await run('report', '--previous', file, '--out', path('this.csv'))
  expect([status, stdout]).toEqual([2, ''])
  expect(stderr).toContain(`${file}: none of its 10 links exists here, so it is a report of another server or account`)
  expect(await files()).toEqual(['monday.csv'])
  const short = await write('short.csv', `id,shorturl,clicks\n${rows(9).join('')}`)
  expect((await run('report', '--previous', short)).status).toBe(0)
})

it('a missing file of --previous is a first report, which says so', async () => {
  const { path, files } = await setUp({ data })
  const cron = ['report', '--previous', path('last.csv'), '--out', path('last.csv')]
  const first = await run(...cron)
  expect(first).toEqual({
    status: 0,
    stdout: '',
    stderr: `${path('last.csv')} does not exist, so this is the first report\n3 links, 22 clicks\n`,
  })
  expect(await files()).toEqual(['last.csv'])
  expect((await run(...cron)).stderr).toBe(`3 links, 22 clicks, 0 of them new since ${path('last.csv')}\n`)
})

it('counts the clicks of a link with an id that was given again as new, and the old link as gone', async () => {
  const { sandbox, path } = await setUp({ data })
  await run('report', '--out', path('monday.csv'))
  Object.assign(sandbox.data.links[1]!, { alias: 'maps', longurl: shop('maps'), clicks: 35 })
  const { stdout, stderr } = await run('report', '--previous', path('monday.csv'), '--json')
  expect(JSON.parse(stdout)).toContainEqual(
    expect.objectContaining({ id: 2, alias: 'maps', newClicks: 35, isNew: true }),
  )
  expect(stderr).toContain('gone: https://sho.rt/cake, 5 clicks\n')
})

it('--top prints the links with the most new clicks or, without --previous, the most clicks, also as a Markdown table', async () => {
  const { sandbox, path } = await setUp({ data })
  const most = await run('report', '--top', '2', '--json')
  expect(JSON.parse(most.stdout).map(({ alias }: { alias: string }) => alias)).toEqual(['tea', 'lamps'])
  await run('report', '--out', path('monday.csv'))
  sandbox.data.links[1]!.clicks += 3
  const { stdout } = await run('report', '--previous', path('monday.csv'), '--top', '1', '--format', 'md')
  expect(stdout).toBe(`| shorturl | title | longurl | clicks | newClicks | uniqueClicks |
| --- | --- | --- | ---: | ---: | ---: |
| https://sho.rt/cake | Cake | https://shop.example/cake | 8 | 3 | 0 |
`)
})

it.each([
  [
    'a cell that is not a number',
    'id,clicks\n1,2\n2,"1,603"\n',
    ['--top', '3'],
    'r.csv, row 3: clicks: expected a whole number without separators, received "1,603"',
  ],
  ['a report without clicks', 'id,title\n1,Tea\n', [], 'row 2: clicks: is missing'],
  [
    'a report by campaign',
    'campaign,clicks\nSpring,2\n',
    [],
    'row 2: id: is missing, expected a whole number without separators. Use a file that report has written without --by',
  ],
  ['a file of something else', 'my notes\n', [], 'expected the columns id and clicks, found my notes'],
  ['another grouping', 'id,clicks\n', ['--by', 'country'], "--by takes campaign, domain, channel, not 'country'"],
  ['a fraction', 'id,clicks\n', ['--top', '1.5'], "--top takes a whole number, not '1.5'"],
  ['a word', 'id,clicks\n', ['--top', 'ten'], "--top takes a number from 1 to 1000000000, not 'ten'"],
])('rejects %s, and sends nothing', async (_, text, args, message) => {
  const { sandbox, write } = await setUp()
  const { status, stderr } = await run('report', '--previous', await write('r.csv', text), ...args)
  expect(status).toBe(2)
  expect(stderr).toContain(message)
  expect(sandbox.requests).toEqual([])
})

it('prints how many links are missing from an incomplete earlier report, and counts gains and losses separately', async () => {
  const { write } = await setUp({ data })
  const file = await write('top1.csv', 'id,clicks\n1,15\n')
  const { stderr } = await run('report', '--previous', file)
  expect(stderr).toBe(
    `3 links, 22 clicks, 12 of them new since ${file}, and 5 fewer on others\n2 links are not in ${file} and count as new (12 clicks)\n`,
  )
})

it('has the names of campaigns next to their ids, unless the server refuses to list them', async () => {
  const { sandbox } = await setUp({ data })
  const { stdout } = await run('report', '--json')
  const rows = JSON.parse(stdout).map(({ campaign, campaignName }: Record<string, unknown>) => [campaign, campaignName])
  expect(rows).toEqual([
    [null, null],
    [1, 'Spring | sale'],
    [1, 'Spring | sale'],
  ])
  sandbox.fail({ path: '/campaigns', status: 403, body: { error: 1, message: 'No.' } })
  expect((await run('report', '--json')).status).toBe(0)
})
