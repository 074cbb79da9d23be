import { expect, test } from 'vitest'
import { runImports } from './random-imports.ts'

test('42 random imports double no link, and say what the server did', async () => {
  const { kills, aborts, unknown, strays } = await runImports(0, 42)
  for (const count of [kills, aborts, unknown, strays]) expect(count).toBeGreaterThan(5)
})
