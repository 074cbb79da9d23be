import { test } from 'vitest'
import { runScenarios } from './random-faults.ts'

test('ensure, imports and syncs say nothing untrue in 100 random scenarios', { timeout: 60_000 }, async () => {
  await runScenarios(1, 100)
})
