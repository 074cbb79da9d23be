/** Servers that create links with another alias than the one that was sent. */
import { importLinks, type JournalEntry } from 'shortlink-cli'
import { expect, test } from 'vitest'
import { collect } from '../../../test/helpers/lists.ts'
import { memoryJournal, setUp } from './set-up.ts'

const tea = { url: 'https://shop.example/tea', custom: 'tea' }
const cake = { url: 'https://shop.example/cake', custom: 'cake' }

test('a link is a stray although a later row, whose response is lost, has made a newer link', async () => {
  const { sandbox, client } = setUp({ dialect: ['alias-ignored'] })
  let endLost = () => {}
  const lost = new Promise<void>((resolve) => {
    endLost = resolve
  })
  const write = ({ key, state }: JournalEntry) => {
    if (key.includes('/lost') && state === 'unknown') endLost()
  }
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const response = await sandbox.fetch(input, init)
    if (String(init?.body).includes('/lost')) throw new TypeError('fetch failed')
    // The newest links are read after the lost row has ended.
    if (String(input).includes('/urls') && sandbox.data.links.length > 1) await lost
    return response
  }
  const rows = [
    { url: 'https://shop.example/first' },
    { url: 'https://shop.example/stray', custom: 'tea' },
    { url: 'https://shop.example/lost' },
  ]
  const run = importLinks(client.withOptions({ fetch }), rows, {
    aliases: false,
    journal: { ...memoryJournal(), write },
  })
  await expect(run.summary()).rejects.toThrow('instead of the alias "tea"')
  const stray = sandbox.data.links.find(({ longurl }) => longurl.endsWith('/stray'))!
  expect((await run.summary()).strays).toMatchObject([{ id: stray.id }])
})

test('a stray is looked up first, even if its row has become invalid', async () => {
  const { sandbox, client } = setUp({ dialect: ['alias-ignored'] })
  const journal = memoryJournal()
  await importLinks(client, [tea], { journal })
    .summary()
    .catch(() => {})
  const stray = sandbox.data.links[0]!
  const prepare = (rows: readonly (typeof tea)[]) => rows.map((row) => (row === tea ? new Error('no campaign') : row))
  const run = importLinks(client, [tea, cake], { journal, prepare })
  await expect(run.summary()).rejects.toThrow('instead of the alias "tea"')
  expect((await run.summary()).strays).toMatchObject([{ id: stray.id }])
  expect(sandbox.data.links).toEqual([stray])

  sandbox.data.links.length = 0
  const [first] = await collect(importLinks(client, [tea], { journal, prepare }))
  expect(first).toMatchObject({ ok: false, outcome: 'not-sent', error: { message: 'no campaign' } })
  expect(first!.stray).toBeUndefined()
  expect(journal.entries.at(-1)).toMatchObject({ state: 'not-sent' })
})

test('a stray without an alias of its own is the link of its row, even if the row has become invalid', async () => {
  const { client } = setUp({ dialect: ['alias-ignored'] })
  const journal = memoryJournal()
  const rows = [{ url: tea.url }]
  await importLinks(client, rows, { journal })
    .summary()
    .catch(() => {})
  const prepare = () => [new Error('no campaign')]
  const options = { journal, prepare, aliases: false }
  expect(await collect(importLinks(client, rows, options))).toMatchObject([{ ok: true, id: 1 }])
  expect(await collect(importLinks(client, rows, options))).toMatchObject([{ ok: true, id: 1, replayed: true }])
})

test('a link on another domain than the one of its row is a stray, with and without aliases, and in the next run too', async () => {
  const { sandbox, client } = setUp({
    dialect: ['domain-ignored'],
    data: { domains: [{ domain: 'https://go.example' }] },
  })
  const journal = memoryJournal()
  const rows = [{ url: tea.url, domain: 'https://go.example' }]
  for (const aliases of [true, false]) {
    const run = importLinks(client, rows, { journal, aliases })
    await expect(run.summary()).rejects.toThrow('instead of a link on https://go.example')
    expect((await run.summary()).strays).toMatchObject([{ id: 1 }])
  }
  expect(sandbox.data.links).toHaveLength(1)

  const first = importLinks(client, rows, { aliases: false })
  await expect(first.summary()).rejects.toThrow('instead of a link on https://go.example')
  expect((await first.summary()).strays).toMatchObject([{ id: 2 }])
})

test('a stray that may have existed before names what its row asked for and nobody can see', async () => {
  const { client } = setUp({ dialect: ['alias-ignored'] })
  const journal = memoryJournal()
  const rows = [{ url: tea.url, title: 'Tea', password: 'hush hush' }]
  await importLinks(client, rows, { journal })
    .summary()
    .catch(() => {})
  const [result] = await collect(importLinks(client, rows, { journal, aliases: false }))
  expect(result).toMatchObject({ ok: true, created: false, differs: ['title', 'password'] })
})

test('a stray is gone if another link has its alias, on a server where a single link cannot be read', async () => {
  const { sandbox, client } = setUp({ dialect: ['alias-ignored'] })
  const journal = memoryJournal()
  await importLinks(client, [tea], { journal })
    .summary()
    .catch(() => {})
  // The link was deleted, and another link has its alias.
  sandbox.data.links[0]!.id = 7
  sandbox.fail({ method: 'GET', path: '/url/:id', status: 403, times: Infinity })
  const run = importLinks(client, [tea], { journal })
  await expect(run.summary()).rejects.toThrow('(id 8')
  expect((await run.summary()).strays).toMatchObject([{ id: 8 }])
})
