import { createServer } from 'node:http'
import { Readable } from 'node:stream'
import { isDeepStrictEqual } from 'node:util'
import type { Result } from '../conformance.ts'
import type { Page } from './browsers.ts'
import { listen } from './listen.ts'

/** Runs checks that need a browser: its security policy, its preflights, and the refusal of a key in a page. */
export async function runBrowserChecks(page: Page): Promise<Result[]> {
  const checks: [topic: string, name: string, check: (page: Page) => Promise<string | undefined>][] = [
    ['secrecy', 'an API key in a page is refused', checkKeyInPage],
    ['secrecy', 'an API key in a worker is refused', checkKeyInWorker],
    ['calls', 'preflights ask for Authorization and Content-Type only', checkPreflights],
    ['uploads', 'a page of another origin uploads with its cookie, and gets progress', checkUploadWithCookie],
    ['entries', 'no Content-Security-Policy is violated', checkViolations],
  ]
  const results: Result[] = []
  for (const [topic, name, check] of checks) {
    const reason = await check(page).catch((error: Error) => error.stack ?? String(error))
    results.push(reason === undefined ? { topic, name, outcome: 'passed' } : { topic, name, outcome: 'failed', reason })
  }
  return results
}

const isRefusal = (output: string) =>
  output.startsWith('configuration: ') && output.includes('dangerouslyAllowBrowser') && !output.includes('a-secret-key')

async function checkKeyInPage(page: Page): Promise<string | undefined> {
  const output = (await page.evaluate(`
    try {
      new sdk.ShortLinkClient({ baseUrl: 'https://sho.rt/api', apiKey: 'a-secret-key' })
      'it was accepted'
    } catch (error) {
      error.code + ': ' + error.message
    }
  `)) as string
  return isRefusal(output) ? undefined : output
}

async function checkKeyInWorker(page: Page): Promise<string | undefined> {
  const output = (await page.evaluate(`new Promise((resolve) => {
    const worker = new Worker('/guard-worker.js', { type: 'module' })
    worker.onmessage = ({ data }) => resolve(data)
    worker.onerror = ({ message }) => resolve('the worker failed: ' + message)
  })`)) as string
  return isRefusal(output) ? undefined : output
}

/** Records the headers that preflights ask for, on a server of another origin. */
async function checkPreflights(page: Page): Promise<string | undefined> {
  const asked = new Set<string>()
  const server = createServer((request, response) => {
    const headers = request.headers['access-control-request-headers'] ?? ''
    if (request.method === 'OPTIONS') for (const name of headers.split(',')) asked.add(name.trim())
    request.resume()
    response.writeHead(200, {
      'Access-Control-Allow-Origin': '*',
      'Access-Control-Allow-Methods': '*',
      'Access-Control-Allow-Headers': headers,
      'Content-Type': 'application/json',
    })
    response.end('{"error":0,"id":1,"message":"","shorturl":"https://sho.rt/1","data":{}}')
  })
  const { url, close } = await listen(server)
  try {
    await page.evaluate(`(async () => {
      const client = new sdk.ShortLinkClient({
        baseUrl: '${url}', openerUrl: '${url}', apiKey: 'key', dangerouslyAllowBrowser: true, validation: 'report',
      })
      await client.account.get()
      await client.campaigns.create({ name: 'a' })
      await client.campaigns.assignLink(1, 2)
      await client.pixels.update(1, { tag: 'a' })
      await client.qr.delete(1)
      await client.files.upload('a.txt', new Blob(['a']), {}, { onProgress() {} })
      await client.files.upload('a.txt', new Blob(['a']).stream())
      await client.opener.create({ url: 'https://a.example' })
    })()`)
  } finally {
    await close()
  }
  const names = [...asked].sort().join(', ')
  return names === 'authorization, content-type' ? undefined : `preflights asked for ${names || 'nothing'}`
}

/** Uploads to a proxy of another origin, which requires the cookie. */
async function checkUploadWithCookie(page: Page): Promise<string | undefined> {
  // Imported here, because the framework projects load this file without a loader for the sources.
  const { ShortLinkClient } = await import('../../../src/index.ts')
  const { createProxy } = await import('../../../src/proxy/index.ts')
  const { createSandbox } = await import('../../../src/testing/index.ts')
  const origin = (await page.evaluate('location.origin')) as string
  const sandbox = createSandbox()
  const proxy = createProxy(new ShortLinkClient(sandbox.clientOptions), {
    allow: ['POST /files/upload/:filename'],
    authorize: (request) => request.headers.get('Cookie')?.includes('session=8c1f0e') ?? false,
    origins: [origin],
  })
  const server = createServer(async (incoming, outgoing) => {
    const { method = 'GET', url: path = '/', headers } = incoming
    const body = method === 'POST' ? Readable.toWeb(incoming) : undefined
    const init = { method, headers: headers as Record<string, string>, body, duplex: 'half' }
    const response = await proxy(new Request(`http://${headers.host}${path}`, init as RequestInit))
    outgoing.writeHead(response.status, Object.fromEntries(response.headers))
    outgoing.end(await response.text())
  })
  const { url, close } = await listen(server)
  try {
    const uploaded = await page.evaluate(`(async () => {
      const client = (options) => new sdk.ShortLinkClient({ baseUrl: '${url}', apiKey: null, ...options })
      const content = new Blob([new Uint8Array(3_000_000)])
      const loaded = []
      const onProgress = (progress) => loaded.push(progress.loaded)
      document.cookie = 'session=8c1f0e'
      const withCookie = client({ fetchOptions: { credentials: 'include' } })
      const { id } = await withCookie.files.upload('menu.pdf', content, { name: 'Menu' }, { onProgress })
      const without = await client().files.upload('menu.pdf', content, {}, { onProgress() {} }).safe()
      document.cookie = 'session=; max-age=0'
      return { hasId: id > 0, sent: loaded.at(-1), without: without.error?.code }
    })()`)
    const expected = { hasId: true, sent: 3_000_000, without: 'permission' }
    return isDeepStrictEqual(uploaded, expected) ? undefined : JSON.stringify(uploaded)
  } finally {
    await close()
  }
}

async function checkViolations(page: Page): Promise<string | undefined> {
  const found = (await page.evaluate('violations')) as string[]
  return found.length ? found.join('\n') : undefined
}
