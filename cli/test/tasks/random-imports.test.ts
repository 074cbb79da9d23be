import { expect, test } from 'vitest'
import { runImports } from './random-imports.ts'

test('28 random imports double no link, and say what the server did', { timeout: 120_000 }, async () => {
  const { kills, aborts, unknown, strays } = await runImports(0, 28)
  for (const count of [kills, aborts, unknown, strays]) expect(count).toBeGreaterThan(3)
})
