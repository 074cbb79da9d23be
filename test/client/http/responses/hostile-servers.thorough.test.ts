import { test } from 'vitest'
import { seed } from '../../../helpers/seed.ts'
import { times } from '../../../helpers/times.ts'
import { playExchanges } from './hostile-servers.ts'

const runs = Number(process.env.HOSTILE_RUNS ?? times(1_000))

test(`${runs} hostile responses from seed ${seed} on never reveal the key, and cause only errors of the package`, {
  timeout: 1_800_000,
}, async () => {
  await playExchanges(seed, runs)
})
