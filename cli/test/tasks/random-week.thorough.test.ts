import { test } from 'vitest'
import { seed } from '../../../test/helpers/seed.ts'
import { times } from '../../../test/helpers/times.ts'
import { playWeeks } from './random-week.ts'

const runs = Number(process.env.WEEK_RUNS ?? times(20))

test(`all results are correct in ${runs} random weeks from seed ${seed} on`, { timeout: 1_800_000 }, async () => {
  await playWeeks(seed, runs)
})
