import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { start, startSandbox } from '../harness.ts'
import {
  testBuildWithoutVariables,
  testDotEnv,
  testListInChromium,
  testMissingVariable,
  testRefusals,
} from '../site.ts'

testBuildWithoutVariables()
testListInChromium()
testRefusals()
testMissingVariable()
testDotEnv()

const signedIn = { headers: { Cookie: 'session=8c1f0e' } }

for (const script of ['dev', 'preview', 'start']) {
  test(`responds to a page through the proxy with npm run ${script}, and refuses other visitors`, {
    timeout: 120_000,
  }, async () => {
    const { env, close } = await startSandbox(['sale'])
    const site = await start('npm', ['run', script], env)
    try {
      const address = `${site.url}/api/shortlink/urls`
      const response = await fetch(address, signedIn)
      assert.equal(response.status, 200, site.output())
      assert.equal((await response.json()).data.urls[0].shorturl, 'https://sho.rt/sale')
      assert.equal((await fetch(address)).status, 403)
      assert.match(await (await fetch(`${site.url}/`)).text(), /<script type="module"/)
    } finally {
      await site.stop()
      await close()
    }
  })
}

test('serves neither the key nor the address', async () => {
  const names = await readdir('dist', { recursive: true })
  const scripts = names.filter((name) => name.endsWith('.js'))
  const text = (await Promise.all(scripts.map((name) => readFile(`dist/${name}`, 'utf8')))).join('')
  assert.ok(text.includes('/api/shortlink'))
  assert.doesNotMatch(text, /sandbox-key|127\.0\.0\.1/)
})
