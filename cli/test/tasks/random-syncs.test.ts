import { expect, test } from 'vitest'
import { runReports } from './random-reports.ts'
import { runSyncs } from './random-syncs.ts'

test('22 random accounts are synced, no link changes that the file does not name, and the words are right', {
  timeout: 120_000,
}, async () => {
  const { kills, aborts, differing, conflicts, refused, strays } = await runSyncs(0, 22)
  for (const count of [kills, aborts, differing, conflicts, refused, strays]) expect(count).toBeGreaterThan(0)
})

test('reports of 30 random accounts count the clicks of each link, also if ids are given again', async () => {
  const { refused, reusedIds, gone, isNew } = await runReports(0, 30)
  for (const count of [refused, reusedIds, gone, isNew]) expect(count).toBeGreaterThan(3)
})
