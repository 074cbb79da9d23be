/** `npm run soak`: makes 20,000 calls in a process against a sandbox in chaos, and prints what is left after them. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { createSandbox } from '../../../src/testing/index.ts'
import { serve } from '../../../src/testing/server.ts'
import type { SoakArgs, Soaked } from './children/soaking-calls.ts'

const calls = Number(process.env.SOAK_CALLS ?? 20_000)
const sandbox = createSandbox({ rateLimit: false })
sandbox.chaos({ rate: 0.3 })
const { baseUrl, openerUrl, close } = await serve(sandbox)

const program = fileURLToPath(new URL('children/soaking-calls.ts', import.meta.url))
const args: SoakArgs = { baseUrl, openerUrl, apiKey: sandbox.apiKey, calls }
const started = performance.now()
const child = spawn(process.execPath, ['--expose-gc', '--import', 'tsx', program, JSON.stringify(args)], {
  stdio: ['ignore', 'pipe', 'inherit'],
})
const exited = once(child, 'exit')
let text = ''
let printed = 0
child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
  text += chunk
  printed = performance.now()
})
const [code] = await exited
const endedAfterMs = Math.round(performance.now() - printed)
await close()

assert.equal(code, 0)
const soaked = JSON.parse(text) as Soaked
console.log(JSON.stringify({ seconds: Math.round((printed - started) / 1000), ...soaked, endedAfterMs }, null, 2))

const { ends, before, after, listeners, queued } = soaked
assert.equal(
  Object.values(ends).reduce((sum, count) => sum + count, 0),
  calls,
  'every call must end',
)
assert.equal(listeners, 0, 'no listener may stay on a signal')
assert.equal(queued, 0, 'no call may stay in the queue')
assert.ok(after.heapMb - before.heapMb < 10, 'the heap must not grow with the number of calls')
assert.ok((after.resources.Timeout ?? 0) <= (before.resources.Timeout ?? 0), 'no timer may stay')
assert.ok(endedAfterMs < 1000, 'the process must end within a second')
