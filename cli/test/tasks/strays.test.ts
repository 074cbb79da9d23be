/** Servers that create links with another alias than the one that was sent. */
import { importLinks, type JournalEntry } from 'shortlink-cli'
import { expect, test } from 'vitest'
import { memoryJournal, setUp } from './set-up.ts'

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
