import { test } from 'vitest'
import { times } from '../../../helpers/times.ts'
import { playExchanges } from './hostile-servers.ts'

/** `HOSTILE_SEED=17 HOSTILE_RUNS=1` repeats the exchange with the seed in an error message. */
const seed = Number(process.env.HOSTILE_SEED ?? 1)
const runs = Number(process.env.HOSTILE_RUNS ?? times(1_000))

test(`${runs} hostile responses from seed ${seed} on never reveal the key, and cause only errors of the package`, {
  timeout: 1_800_000,
}, async () => {
  await playExchanges(seed, runs)
})
