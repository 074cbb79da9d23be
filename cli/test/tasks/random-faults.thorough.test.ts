import { test } from 'vitest'
import { seed } from '../../../test/helpers/seed.ts'
import { times } from '../../../test/helpers/times.ts'
import { runScenarios } from './random-faults.ts'

const runs = Number(process.env.FAULTS_RUNS ?? times(1_000))

test(`the results of ensure, imports and syncs are correct in ${runs} random scenarios from seed ${seed} on`, {
  timeout: 1_800_000,
}, async () => {
  await runScenarios(seed, runs)
})
