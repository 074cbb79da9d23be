/**
 * Tests for every framework that renders pages. A project has a page `/` that lists the short addresses in the browser,
 * an endpoint `/api/shortlink`, and the scripts `dev`, `build` and `start`.
 */
import assert from 'node:assert/strict'
import { rm, writeFile } from 'node:fs/promises'
import { after, test } from 'node:test'
import { openPage, run, start, startSandbox } from './harness.ts'

const aliases = ['sale', 'opening', 'winter']
const addresses = aliases.map((alias) => `https://sho.rt/${alias}`)
const none = { SHORTLINK_BASE_URL: undefined, SHORTLINK_API_KEY: undefined }
/** A session that every project accepts. */
const signedIn = { headers: { Cookie: 'session=8c1f0e' } }
const options = { timeout: 400_000 }

/**
 * Runs all tests, for a framework that also renders `/server`, and optionally other pages, on the server. `handler` is
 * a request for which its server makes one call.
 */
export function testSite(handler: SiteRequest, ...pages: string[]): void {
  testBuildWithoutVariables()
  testListInChromium()
  testRefusals()
  testDeadline(handler)
  for (const page of ['/server', ...pages]) testServerRendering(page)
  testMissingVariable()
  testDotEnv()
}

export function testBuildWithoutVariables(): void {
  test('builds without the address and the key', options, async () => {
    await run('npm', ['run', 'build'], none)
  })
}

export function testListInChromium(): void {
  test('lists links in Chromium through its endpoint, and Chromium cancels no response', options, async () => {
    const { url, sandbox } = await getSharedSite()
    const page = await openPage()
    await page.visitAs(`${url}/api/shortlink/urls`, signedIn.headers.Cookie)
    // Chromium cancels only some responses whose body is abandoned before its end, so the page is opened ten times.
    for (let visit = 1; visit <= 10; visit++) {
      assert.deepEqual(await page.items(`${url}/`, addresses.length), addresses)
    }
    assert.deepEqual(page.complaints, [])
    assert.equal(sandbox.requests.at(-1)?.path, '/urls')
    await page.close()
  })
}

export interface SiteRequest extends RequestInit {
  readonly path: string
}

export function testRefusals(): void {
  test('refuses visitors who are not signed in, and pages of other origins', options, async () => {
    const { url, sandbox } = await getSharedSite()
    const address = `${url}/api/shortlink/url/add`
    const init = { method: 'POST', body: '{"url":"https://shop.example"}' }
    const stranger = await fetch(address, init)
    const headers = { ...signedIn.headers, Origin: 'https://evil.example' }
    const otherPage = await fetch(address, { ...init, headers })
    assert.deepEqual([stranger.status, otherPage.status, sandbox.requests], [403, 403, []])
  })
}

function testDeadline({ path, ...init }: SiteRequest): void {
  test(
    'responds to 60 concurrent visitors within the deadline, with a 429 if the rate limit is used up',
    options,
    async () => {
      const { url, sandbox, output, stop } = await startSite(30)
      const started = performance.now()
      const visit = () => fetch(`${url}${path}`, { ...init, ...signedIn })
      const responses = await Promise.all(Array.from({ length: 60 }, visit)).finally(stop)
      assert.ok(performance.now() - started < 10_500, 'a response took longer')
      const statuses = responses.map(({ status }) => status)
      const served = statuses.filter((status) => status === 200).length
      assert.equal(served, 30, `${served} were served: ${statuses}\n${output()}`)
      for (const { status, headers } of responses) {
        if (status === 200) continue
        const seconds = Number(headers.get('retry-after'))
        assert.ok(status === 429 && seconds > 40 && seconds <= 61, `${status}, Retry-After: ${seconds}`)
      }
      assert.equal(sandbox.requests.filter(({ status }) => status === 429).length, 0)
    },
  )
}

function testServerRendering(path: string): void {
  test(`renders ${path} on the server`, options, async () => {
    const { url, output } = await getSharedSite()
    const response = await fetch(`${url}${path}`, signedIn)
    const html = await response.text()
    assert.equal(response.status, 200, `${html.slice(0, 500)}\n${output()}`)
    for (const address of addresses) assert.match(html, new RegExp(`<li[^>]*>${address}`))
  })
}

export function testMissingVariable(): void {
  test('reports the missing variable when the first request needs it', options, async () => {
    const site = await start('npm', ['start'], none)
    const response = await fetch(`${site.url}/api/shortlink/urls`, signedIn)
    assert.equal(response.status, 500)
    await site.stop()
    assert.match(site.output(), /SHORTLINK_BASE_URL/)
  })
}

export function testDotEnv(): void {
  test('reads .env in development', options, async () => {
    const { env, close } = await startSandbox(aliases)
    const lines = Object.entries(env).map(([name, value]) => `${name}=${value}\n`)
    await writeFile('.env', lines.join(''))
    try {
      const site = await start('npm', ['run', 'dev'], none)
      const response = await fetch(`${site.url}/api/shortlink/urls`, signedIn)
      const body = await response.text()
      await site.stop()
      assert.equal(response.status, 200, `${body.slice(0, 500)}\n${site.output()}`)
      assert.equal(JSON.parse(body).data.urls.length, aliases.length)
    } finally {
      await rm('.env')
      await close()
    }
  })
}

/** Starts the built site with a sandbox that allows this many requests per minute. */
async function startSite(requests: number) {
  const { sandbox, env, close } = await startSandbox(aliases, requests)
  const site = await start('npm', ['start'], env)
  return { ...site, sandbox, stop: () => site.stop().finally(close) }
}

let running: ReturnType<typeof startSite> | undefined
after(async () => (await running)?.stop())

/** Returns the site that most tests share, after resetting its sandbox. */
async function getSharedSite() {
  running ??= startSite(1000)
  const { sandbox, url, output } = await running
  sandbox.reset()
  return { sandbox, url, output }
}
