import { test } from 'vitest'
import { times } from '../../../test/helpers/times.ts'
import { playWeeks } from './random-week.ts'

/** `WEEK_SEED=17 WEEK_RUNS=1` repeats the week that an error names. */
const seed = Number(process.env.WEEK_SEED ?? 1)
const runs = Number(process.env.WEEK_RUNS ?? times(20))

test(`all results are correct in ${runs} random weeks from seed ${seed} on`, { timeout: 1_800_000 }, async () => {
  await playWeeks(seed, runs)
})
