import assert from 'node:assert/strict'
import { test } from 'node:test'
import { run, startSandbox } from '../harness.ts'

const allowed = (...args: string[]) => ['run', '--quiet', '--no-prompt', ...args]

test('with an address and a key, --allow-net is enough', async () => {
  const { env, close } = await startSandbox(['sale'])
  const { SHORTLINK_BASE_URL, SHORTLINK_API_KEY } = env
  const output = await run('deno', allowed('--allow-net', 'main.ts', SHORTLINK_BASE_URL, SHORTLINK_API_KEY))
  await close()
  assert.equal(output, 'https://sho.rt/sale\nhttps://sho.rt/opening\n')
})

test('an address and a key from the environment need --allow-env', async () => {
  const { env, close } = await startSandbox(['sale'])
  const output = await run('deno', allowed('--allow-net', '--allow-env', 'from-environment.ts'), env)
  await close()
  assert.equal(output, 'https://sho.rt/sale\n')
})

test('without --allow-env, the first call fails with the name of the variable', async () => {
  await assert.rejects(run('deno', allowed('--allow-net', 'from-environment.ts')), /SHORTLINK_BASE_URL/)
})
