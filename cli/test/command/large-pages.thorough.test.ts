/** Pages of 150,000 rows, which engines cannot pass as arguments. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { ItemQueue } from '../../src/tasks/refusals.ts'
import { run } from './run.ts'

const count = 150_000
const host = 'https://sho.rt/'
const urls = Array.from({ length: count }, (_, i) => ({ id: i + 1, shorturl: host + i, longurl: host }))
const numbers = { result: count, perpage: count, currentpage: 1, nextpage: null, maxpage: 1 }

/** Lets the command call a server that sends all links in one page. */
function stubServer() {
  const text = JSON.stringify({ error: 0, data: { ...numbers, urls } })
  vi.stubEnv('SHORTLINK_BASE_URL', `${host}api`)
  vi.stubEnv('SHORTLINK_API_KEY', 'KEY')
  vi.stubGlobal('fetch', async () => new Response(text))
  onTestFinished(() => {
    vi.unstubAllEnvs()
    vi.unstubAllGlobals()
  })
}

test('a list is written as JSON', async () => {
  stubServer()
  const { status, stdout } = await run('list', 'links', '--json')
  expect(status).toBe(0)
  expect(JSON.parse(stdout)).toHaveLength(count)
})

test('a sync reads them', async () => {
  stubServer()
  const folder = await mkdtemp(join(tmpdir(), 'pages-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const file = join(folder, 'links.csv')
  await writeFile(file, `url,custom\n${host},0\n`)
  const { status, stderr } = await run('sync', file)
  expect([status, stderr]).toEqual([0, expect.stringContaining('0 to update, 1 to keep')])
})

test('probes are taken from a queue', () => {
  const queue = new ItemQueue(urls)
  expect([...queue.takeProbes()].map(({ id }) => id)).toEqual([count, count / 2, count / 4])
  expect([...queue]).toHaveLength(count)
})
