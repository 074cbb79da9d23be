/** Tests the programs of the page of slices. `slices.test.ts` puts them beside a copy of this file. */
import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { mock, test } from 'node:test'
import { ShortLinkClient } from 'shortlink-sdk'
import { createSandbox } from 'shortlink-sdk/testing'
import { importSlice } from './import-slice.ts'
import { lockedJournal } from './locked-journal.ts'
import { sqliteJournal } from './sqlite-journal.ts'

const rows = Array.from({ length: 25 }, (_, index) => ({
  url: `https://shop.example/${index}`,
  custom: `page-${index}`,
}))

test('an import in slices creates each link once, whenever a slice ends', async () => {
  const sandbox = createSandbox()
  const client = new ShortLinkClient(sandbox.clientOptions)
  const database = new DatabaseSync(':memory:')
  let slices = 0
  for (let isDone = false; !isDone; slices++) {
    const time = new AbortController()
    const requests = sandbox.requests.length
    const watched = client.withOptions({
      onResponse: () => void (sandbox.requests.length >= requests + 12 && time.abort()),
    })
    isDone = await importSlice(watched, rows, sqliteJournal(database, 'links'), time.signal)
  }
  assert.ok(slices > 1, 'one slice did it all')
  const aliases = sandbox.data.links.map(({ alias }) => alias)
  assert.equal(new Set(aliases).size, rows.length)
  assert.equal(aliases.length, rows.length)

  const sent = sandbox.requests.length
  assert.equal(await importSlice(client, rows, sqliteJournal(database, 'links')), true)
  assert.equal(sandbox.requests.length, sent)
})

test('a second run is rejected while the first is in progress, and starts a minute after the first was killed', async () => {
  const sandbox = createSandbox()
  const client = new ShortLinkClient(sandbox.clientOptions)
  const database = new DatabaseSync(':memory:')
  const killed = lockedJournal(database, 'links')
  await killed.open?.() // and never closed

  await assert.rejects(
    importSlice(client, rows, lockedJournal(database, 'links')),
    /another run of links is in progress/,
  )
  assert.equal(sandbox.requests.length, 0)

  mock.timers.enable({ apis: ['Date'], now: Date.now() + 61_000 })
  assert.equal(await importSlice(client, rows, lockedJournal(database, 'links')), true)
  mock.timers.reset()
  assert.equal(await importSlice(client, rows, lockedJournal(database, 'links')), true)
  assert.equal(sandbox.data.links.length, rows.length)
})
