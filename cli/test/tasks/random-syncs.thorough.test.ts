import { expect, test } from 'vitest'
import { seed } from '../../../test/helpers/seed.ts'
import { times } from '../../../test/helpers/times.ts'
import { runReports } from './random-reports.ts'
import { runSyncs } from './random-syncs.ts'

const runs = Number(process.env.FAULTS_RUNS ?? times(110))

test(`${runs} random accounts from seed ${seed} on are synced, no link changes that the file does not name, and the words are right`, {
  timeout: 1_800_000,
}, async () => {
  const counts = await runSyncs(seed, runs)
  console.log(JSON.stringify(counts))
  for (const part of ['kills', 'aborts', 'conflicts', 'refused', 'strays'] as const)
    expect(counts[part]).toBeGreaterThan(runs / 20)
})

test(`reports of ${runs} random accounts from seed ${seed} on count the clicks of each link`, {
  timeout: 1_800_000,
}, async () => {
  const counts = await runReports(seed, runs)
  console.log(JSON.stringify(counts))
  for (const part of ['refused', 'reusedIds', 'gone', 'isNew'] as const) expect(counts[part]).toBeGreaterThan(runs / 20)
})
