import { test } from 'vitest'
import { playWeeks } from './random-week.ts'

test('all results are correct in 10 random weeks', { timeout: 60_000 }, async () => {
  await playWeeks(1, 10)
})
