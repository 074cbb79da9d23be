import { test } from 'vitest'
import { runScenarios } from './random-faults.ts'

test('the results of ensure, imports and syncs are correct in 100 random scenarios', { timeout: 60_000 }, async () => {
  await runScenarios(1, 100)
})
