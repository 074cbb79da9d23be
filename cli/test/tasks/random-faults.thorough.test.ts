import { test } from 'vitest'
import { times } from '../../../test/helpers/times.ts'
import { runScenarios } from './random-faults.ts'

/** `FAULTS_SEED=17 FAULTS_RUNS=1` repeats the scenario that an error names. */
const seed = Number(process.env.FAULTS_SEED ?? 1)
const runs = Number(process.env.FAULTS_RUNS ?? times(1_000))

test(`the results of ensure, imports and syncs are correct in ${runs} random scenarios from seed ${seed} on`, {
  timeout: 1_800_000,
}, async () => {
  await runScenarios(seed, runs)
})
