import assert from 'node:assert/strict'
import { test } from 'node:test'
import { run, startSandbox } from '../harness.ts'

/** How Lambda and Vercel start Node. */
const disabled = '--no-experimental-require-module'

/** Runs a program that has `handler`, and prints what it returns, in Node as Lambda starts it. */
async function invoke(file: string, options = disabled): Promise<unknown> {
  const { env, close } = await startSandbox([])
  const program = `import('./${file}').then(async ({ handler }) =>
    console.log(JSON.stringify(await handler({ url: 'https://shop.example/tea' }))))`
  try {
    return JSON.parse(await run('node', ['--eval', program], { ...env, NODE_OPTIONS: options }))
  } finally {
    await close()
  }
}

const isCreated = (result: unknown) => {
  const { statusCode, body } = result as { statusCode: number; body: string }
  assert.equal(statusCode, 201)
  assert.match(body, /^https:\/\/sho\.rt\/\w+$/)
}

test('an ES module works', async () => isCreated(await invoke('handler.mjs')))

test('CommonJS works with `import()`', async () => isCreated(await invoke('import.cjs')))

test('`require` fails with ERR_REQUIRE_ESM', async () => {
  await assert.rejects(invoke('require.cjs'), /ERR_REQUIRE_ESM/)
})

test('`require` works with NODE_OPTIONS=--experimental-require-module', async () => {
  isCreated(await invoke('require.cjs', `${disabled} --experimental-require-module`))
})

test('a bundle of a program with `require` works', async () => {
  await run('esbuild', ['require.cjs', '--bundle', '--platform=node', '--outfile=dist/require.cjs'])
  isCreated(await invoke('dist/require.cjs'))
})

test('a Vercel function that is an ES module works', async () => {
  const { env, close } = await startSandbox([])
  const program = `import('./api/links.mjs').then(async ({ POST }) => {
    const request = new Request('https://app.example', { method: 'POST', body: '{"url":"https://shop.example/tea"}' })
    const response = await POST(request)
    console.log(response.status, await response.text())
  })`
  try {
    const output = await run('node', ['--eval', program], { ...env, NODE_OPTIONS: disabled })
    assert.match(output, /^201 \{"shorturl":"https:\/\/sho\.rt\/\w+"\}$/m)
  } finally {
    await close()
  }
})
