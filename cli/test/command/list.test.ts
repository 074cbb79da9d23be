import { expect, test, vi } from 'vitest'
import { page, splash } from '../../../test/helpers/responses.ts'
import { serve } from '../../../test/helpers/server.ts'
import { lists } from '../../src/command/client.ts'
import { run, setUp } from './run.ts'

test('list prints all rows of a resource, or as many as --limit allows', async () => {
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
  for (const resource of lists) expect((await run('list', resource)).status).toBe(0)
  // CSV without rows has the same header as CSV with rows.
  expect((await run('list', 'channels')).stdout).toBe('id,name,description,color,starred\n')
  const [header] = (await run('list', 'links', '--format', 'csv')).stdout.split('\n')
  sandbox.data.links.length = 0
  expect((await run('list', 'links', '--format', 'csv')).stdout).toBe(`${header}\n`)
  expect((await run('list', 'channels', '--json')).stdout).toBe('[]\n')
})

test('list prints a row of the wrong type unchanged, reports it, and exits with 1', async () => {
  await setUp()
  const fitting = { id: 1, name: 'Spring', public: true, rotator: false, list: 'https://sho.rt/u/a/b-1' }
  const { origin } = await serve(page('campaigns', [fitting, { ...fitting, id: { odd: 2 } }, null]))
  vi.stubEnv('SHORTLINK_BASE_URL', origin)
  const { status, stdout, stderr } = await run('list', 'campaigns', '--json')
  expect(status).toBe(1)
  expect(JSON.parse(stdout)).toMatchObject([fitting, { id: { odd: 2 } }, { row: null }])
  expect(stderr).toMatch(
    /^shortlink list: rows that do not match their documented type were printed unchanged: .*campaigns\.1\.id: expected/,
  )
})

test('a table aligns characters that are two columns wide on a terminal', async () => {
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

test('list names columns that only later pages have, which CSV lacks, and exits with 1', async () => {
  await setUp()
  const campaign = { id: 1, name: 'Spring', public: true, rotator: false, list: 'https://sho.rt/u/a/b-1' }
  const { origin } = await serve(({ url }) =>
    url.includes('page=2')
      ? page('campaigns', [{ ...campaign, id: 2, views: 7 }], { result: 2, currentpage: 2, maxpage: 2 })
      : page('campaigns', [campaign], { result: 2, maxpage: 2 }),
  )
  vi.stubEnv('SHORTLINK_BASE_URL', origin)
  const csv = await run('list', 'campaigns')
  expect(csv.status).toBe(1)
  expect(csv.stdout).toMatch(/\n1,Spring,.*\n2,Spring,.*\n$/)
  expect(csv.stderr).toMatch(/were left out: views\. --format ndjson includes them\n$/)
  expect((await run('list', 'campaigns', '--format', 'ndjson')).stdout).toContain('"views":7')
})

test('list prints every row of a server that sends no total of rows or pages', async () => {
  await setUp()
  const numbers = { result: undefined, maxpage: undefined, perpage: 1 }
  const { origin } = await serve(({ url }) => {
    const currentpage = url.includes('page=2') ? 2 : 1
    return page('splash', [splash(currentpage)], { ...numbers, currentpage, nextpage: 2 })
  })
  vi.stubEnv('SHORTLINK_BASE_URL', origin)
  const { status, stdout } = await run('list', 'splash', '--json')
  expect(JSON.parse(stdout)).toEqual([splash(1), splash(2)])
  expect(status).toBe(0)
})
