import { test } from 'vitest'
import { playExchanges } from './hostile-servers.ts'

test('60 hostile responses never reveal the key, and cause only errors of the package', {
  timeout: 60_000,
}, async () => {
  await playExchanges(1, 60)
})
