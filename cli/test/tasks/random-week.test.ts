import { test } from 'vitest'
import { playWeeks } from './random-week.ts'

test('nothing untrue is said in 10 random weeks', { timeout: 60_000 }, async () => {
  await playWeeks(1, 10)
})
