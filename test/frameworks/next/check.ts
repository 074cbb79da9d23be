import assert from 'node:assert/strict'
import { test } from 'node:test'
import { run, start, startSandbox } from '../harness.ts'
import { testSite } from '../site.ts'

const aliases = ['sale', 'opening']

for (const cacheComponents of ['off', 'on']) {
  const options = { CACHE_COMPONENTS: cacheComponents }
  test(`no-store pages and redirects from an apiKey function work in Next.js, Cache Components ${cacheComponents}`, {
    timeout: 400_000,
  }, async (t) => {
    const { sandbox, env, close } = await startSandbox(aliases, 1000)
    t.after(close)
    await run('npm', ['run', 'build'], { ...env, ...options })
    const { url, output, stop } = await start('npm', ['start'], { ...env, ...options })
    t.after(stop)

    const read = async (path: string, headers: Record<string, string> = {}) => {
      const response = await fetch(url + path, { headers, redirect: 'manual' })
      return { status: response.status, html: await response.text() }
    }
    const before = sandbox.requests.length
    for (let visit = 1; visit <= 2; visit++) {
      const { status, html } = await read('/no-store')
      assert.equal(status, 200, output())
      for (const alias of aliases) assert.match(html, new RegExp(`<li[^>]*>https://sho.rt/${alias}`))
      assert.ok(sandbox.requests.length >= before + visit, 'a page with no-store is rendered for each visit')
    }

    for (const path of ['/cookies', '/server']) {
      const { html } = await read(path, { Cookie: `key=${sandbox.apiKey}` })
      for (const alias of aliases) assert.match(html, new RegExp(`<li[^>]*>https://sho.rt/${alias}`))
    }
    const stranger = await read('/cookies')
    assert.ok(stranger.status === 307 || /\/login/.test(stranger.html), stranger.html.slice(0, 2000))
    assert.doesNotMatch(output(), /shortlink-sdk|apiKey\(\) failed/)
  })
}

// Last, because it builds the site that it starts again, with Cache Components and without the pages above.
testSite({ path: '/api/links', method: 'POST', body: '{"url":"https://shop.example"}' })
