import { expect, test } from 'vitest'
import { seed } from '../../../test/helpers/seed.ts'
import { times } from '../../../test/helpers/times.ts'
import { runImports } from './random-imports.ts'

const runs = Number(process.env.FAULTS_RUNS ?? times(1000))

test(`${runs} random imports from seed ${seed} on double no link, and say what the server did`, {
  timeout: 1_800_000,
}, async () => {
  const counts = await runImports(seed, runs)
  console.log(JSON.stringify(counts))
  for (const part of ['kills', 'aborts', 'unknown', 'strays'] as const) expect(counts[part]).toBeGreaterThan(runs / 10)
})
