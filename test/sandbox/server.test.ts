import { get } from 'node:http'
import { createConnection } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { createSandbox } from 'shortlink-sdk/testing'
import { type Served, type ServeOptions, serve } from 'shortlink-sdk/testing/server'
import { afterEach, describe, expect, test } from 'vitest'

const closers: (() => Promise<void>)[] = []
afterEach(() => Promise.all(closers.splice(0).map((close) => close())))

async function start(options: ServeOptions = {}, sandbox = createSandbox({ rateLimit: false })) {
  const served: Served = await serve(sandbox, options)
  closers.push(served.close)
  return {
    sandbox,
    ...served,
    headers: { Authorization: `Bearer ${sandbox.apiKey}`, 'Content-Type': 'application/json' },
  }
}

describe('serve', () => {
  test('listens on a free loopback port, and on the one it is told', async () => {
    const { baseUrl, openerUrl } = await start()
    expect(baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/api$/)
    expect(openerUrl).toBe(baseUrl.replace('/api', '/opener'))
    const port = Number(new URL(baseUrl).port)
    await expect(serve(createSandbox(), { port })).rejects.toMatchObject({ code: 'EADDRINUSE' })
  })

  test('an upload is read as it comes, and what is not kept is not held', async () => {
    const { sandbox, baseUrl, headers } = await start({}, createSandbox({ keepFiles: false }))
    const piece = new Uint8Array(1 << 20)
    let left = 256
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => (left-- > 0 ? controller.enqueue(piece) : controller.close()),
    })
    const before = process.memoryUsage().arrayBuffers
    let peak = 0
    const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage().arrayBuffers)), 5)
    const init = { method: 'POST', headers, body, duplex: 'half' } as RequestInit
    expect(await (await fetch(`${baseUrl}/files/upload/big.bin`, init)).json()).toMatchObject({ error: 0 })
    clearInterval(watch)
    expect(sandbox.data.files.at(-1)!.size).toBe(256 << 20)
    expect((peak - before) / (1 << 20)).toBeLessThan(128)
  })

  test('a dropped connection is a reset', async () => {
    const { sandbox, baseUrl } = await start()
    sandbox.fail({ drop: 'before' })
    await expect(fetch(`${baseUrl}/account`)).rejects.toMatchObject({ cause: { code: 'ECONNRESET' } })
  })

  test('close() ends idle connections and unfinished answers at once', async () => {
    const { sandbox, baseUrl, close } = await start()
    sandbox.fail({ delay: Number.POSITIVE_INFINITY, path: '/account' })
    const { port, hostname } = new URL(baseUrl)
    const idle = createConnection(Number(port), hostname)
    const idleEnded = new Promise((resolve) => idle.on('close', resolve).on('error', () => {}))
    const waiting = expect(fetch(`${baseUrl}/account`)).rejects.toBeInstanceOf(TypeError)
    await sleep(30)
    const began = performance.now()
    await close()
    await Promise.all([waiting, idleEnded])
    expect(performance.now() - began).toBeLessThan(500)
  })

  test('a caller that leaves is noticed, and the next one is served', async () => {
    const lines: string[] = []
    const { sandbox, baseUrl, headers } = await start({ log: (line) => lines.push(line) })
    sandbox.fail({ delay: Number.POSITIVE_INFINITY })
    const left = fetch(`${baseUrl}/account`, { headers, signal: AbortSignal.timeout(30) })
    await expect(left).rejects.toMatchObject({ name: 'TimeoutError' })
    expect((await fetch(`${baseUrl}/account`, { headers })).status).toBe(200)
    expect(lines.map((line) => line.replace(/\d+ ms/, 'ms'))).toEqual([
      'GET /api/account dropped ms',
      'GET /api/account 200 ms',
    ])
  })

  test('without cors a page of another origin gets nothing; with it, preflights and rate headers', async () => {
    const closed = await start()
    const preflight = (baseUrl: string) =>
      fetch(`${baseUrl}/account`, { method: 'OPTIONS', headers: { Origin: 'https://app.example' } })
    expect((await preflight(closed.baseUrl)).headers.get('Access-Control-Allow-Origin')).toBeNull()

    const open = await start({ cors: true })
    const answer = await preflight(open.baseUrl)
    expect(answer.status).toBe(204)
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET, POST, PUT, DELETE',
      'access-control-allow-headers': 'Authorization, Content-Type',
    })
    const asked = await fetch(`${open.baseUrl}/account`, { headers: open.headers })
    expect(asked.headers.get('Access-Control-Expose-Headers')).toContain('X-RateLimit-Remaining')
    expect(open.sandbox.requests).toHaveLength(1)
  })

  test('a file can be fetched from below the root', async () => {
    const { baseUrl, headers } = await start()
    const init = { method: 'POST', headers, body: 'hello' }
    await fetch(`${baseUrl}/files/upload/a.txt?custom=%C3%A4%2F`, init)
    expect(await (await fetch(new URL('/%C3%A4%2F', baseUrl))).text()).toBe('hello')
  })
})

describe('the page at /', () => {
  test('loads nothing from elsewhere, under a policy that lets it load nothing', async () => {
    const { baseUrl } = await start()
    const response = await fetch(new URL('/', baseUrl))
    const html = await response.text()
    const policy = response.headers.get('Content-Security-Policy')!
    expect(response.headers.get('Content-Type')).toBe('text/html; charset=utf-8')
    expect(policy).toContain("default-src 'none'")
    const nonce = /script-src 'nonce-([\w-]+)'/.exec(policy)![1]
    expect(html).toContain(`<script nonce="${nonce}">`)
    expect(html).toContain(`<style nonce="${nonce}">`)
    expect(html).not.toMatch(/(src|href)="(?!data:)/)
    expect(html).not.toMatch(/ style=| on\w+=/)
  })

  test('shows what is stored and what came in, without bytes, passwords and keys', async () => {
    const { sandbox, baseUrl, headers } = await start()
    sandbox.data.account.password = 'PASS-1'
    sandbox.data.files[0]!.password = 'PASS-2'
    await fetch(`${baseUrl}/channel/add`, { method: 'POST', headers, body: '{"name":"Brand new"}' })
    const text = await (await fetch(new URL('/sandbox.json', baseUrl))).text()
    const state = JSON.parse(text)
    expect(state.lists.channels).toMatchObject({
      total: 4,
      rows: [{ id: 4, name: 'Brand new' }, { id: 3 }, { id: 2 }, { id: 1 }],
    })
    expect(state.requests).toMatchObject([{ method: 'POST', path: '/channel/add', status: 200, done: true }])
    expect(text).not.toMatch(/PASS-|sandbox-key|"content"/)
  })

  test('looking at it is no request of the platform', async () => {
    const { sandbox, baseUrl } = await start()
    await new Promise((resolve) => get(new URL('/', baseUrl), (answer) => answer.resume().on('end', resolve)))
    expect(sandbox.requests).toEqual([])
  })
})
