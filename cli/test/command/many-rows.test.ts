import { expect, it, vi } from 'vitest'
import { page } from '../../../test/helpers/responses.ts'
import { serve } from '../../../test/helpers/server.ts'
import { run, setUp, shop } from './run.ts'

it('lists, reports and syncs 150,000 links that the server sends as one page', { timeout: 120_000 }, async () => {
  const { path, read, write } = await setUp()
  const links = Array.from({ length: 150_000 }, (_, index) => ({
    id: index + 1,
    shorturl: `https://sho.rt/p-${index}`,
  }))
  const all = { result: links.length, perpage: links.length, nextpage: null, maxpage: 1 }
  const { origin } = await serve(page('urls', links, all))
  vi.stubEnv('SHORTLINK_BASE_URL', origin)
  for (const name of ['list.ndjson', 'list.json']) {
    const { status, stderr } = await run('list', 'links', '--out', path(name))
    expect([status, stderr.includes('call stack')]).toEqual([0, false])
    expect((await read(name)).match(/"id"/g)).toHaveLength(links.length)
  }
  expect((await run('sync', await write('links.csv', `alias,url\np-7,${shop('7')}\n`))).stderr).toContain(
    '0 to create, 1 to update, 0 to keep, 0 to delete\n',
  )
})

it.each([
  ['.json', (deep: string) => `[\n{"url":"${shop('a')}"},\n{"url":"${shop('b')}","note":${deep}}\n]\n`, 3],
  ['.ndjson', (deep: string) => `{"url":"${shop('a')}"}\n{"url":"${shop('b')}","note":${deep}}\n`, 2],
])('rejects a %s file with deep nesting, and names its line', async (suffix, createText, line) => {
  const { sandbox, write } = await setUp()
  for (const [open, close] of [
    ['[', ']'],
    ['{"a":', '}'],
  ] as const) {
    const createNested = (depth: number) => createText(`${open.repeat(depth)}1${close.repeat(depth)}`)
    const file = await write(`links${suffix}`, createNested(100_000))
    for (const command of ['sync', 'import']) {
      const { status, stderr } = await run(command, file)
      expect(status).toBe(2)
      expect(stderr).toContain(`${file}, line ${line}: is nested more than 100 levels deep\n`)
    }
    const shallow = await write(`shallow${suffix}`, createNested(90))
    expect((await run('import', shallow, '--dry-run')).stderr).not.toContain('nested')
  }
  expect(sandbox.requests).toEqual([])
})

it('reads brackets inside texts', async () => {
  const { write } = await setUp()
  const file = await write('links.json', JSON.stringify([{ url: shop('a'), note: `"\\${'['.repeat(1000)}` }]))
  expect((await run('import', file, '--dry-run')).status).toBe(0)
})
