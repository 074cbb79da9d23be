import { spawn } from 'node:child_process'
import { copyFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { freePort } from './listen.ts'
import type { Finding } from './report.ts'
import { makeSandbox, type RunningSandbox } from './sandbox-control.ts'
import { all, bunPaths, denoPaths, find, linkTools, root, workerdPaths } from './tools.ts'
import { startWorker, waitUntilReachable } from './workerd.ts'

/** A running server with the proxy. */
interface Server {
  url: string
  stop: () => void
}

type Start = (folder: string, options: string) => Promise<Server | undefined>

const createProcessStarter =
  (paths: string[], args: string[] = []): Start =>
  async (folder, options) => {
    const binary = await find(...paths)
    if (!binary) return undefined
    const port = await freePort()
    const env = { ...process.env, PROXY_PORT: String(port), PROXY_OPTIONS: options }
    const child = spawn(binary, [...args, join(folder, 'proxy.mjs')], { cwd: folder, env, stdio: 'ignore' })
    const url = `http://127.0.0.1:${port}`
    await waitUntilReachable(url)
    return { url, stop: () => void child.kill('SIGKILL') }
  }

const startInWorker: Start = async (folder, options) => {
  const binary = await find(...workerdPaths)
  return binary ? await startWorker(binary, folder, 'proxy-worker.mjs', { OPTIONS: options }) : undefined
}

const servers: Record<string, Start> = {
  'Node, a Hono route': createProcessStarter([process.execPath]),
  ...(all && {
    'Bun.serve': createProcessStarter(bunPaths),
    'Deno.serve': createProcessStarter(denoPaths, ['run', '--allow-all', '--node-modules-dir=manual']),
    'workerd, as a Worker': startInWorker,
  }),
}

/** Runs the proxy in every kind of server, and sends it calls of a client and malicious requests. */
export async function tryProxyServers(folder: string, control: string): Promise<Finding[]> {
  for (const host of ['proxy.mjs', 'proxy-worker.mjs']) {
    await copyFile(join(root, 'test/everywhere/hosts', host), join(folder, host))
  }
  await linkTools(folder, 'hono', '@hono/node-server')
  const findings: Finding[] = []
  for (const [name, start] of Object.entries(servers)) findings.push(await tryProxy(name, start, folder, control))
  return findings
}

async function tryProxy(name: string, start: Start, folder: string, control: string): Promise<Finding> {
  const sandbox = await makeSandbox(control)
  const options = {
    client: { baseUrl: sandbox.baseUrl, openerUrl: sandbox.openerUrl, apiKey: sandbox.apiKey },
    proxy: {
      prefix: '/api/shortlink',
      allow: ['GET /campaigns', 'POST /files/upload/:filename', 'POST /opener/v3/api'],
      authorize: 'everyone',
    },
  }
  let server: Server | undefined
  try {
    server = await start(folder, JSON.stringify(options))
    if (!server) return { name, outcome: 'skipped', detail: 'it is not installed' }
    await checkCalls(folder, server.url, sandbox)
    await checkRefusals(server.url, sandbox)
    return {
      name,
      outcome: 'passed',
      detail: 'lists, uploads with Content-Length, creates an app-opener link, refuses other calls',
    }
  } catch (error) {
    return { name, outcome: 'failed', detail: String((error as Error).stack) }
  } finally {
    server?.stop()
    await sandbox.close()
  }
}

const SIZE = 3_000_000

async function checkCalls(folder: string, url: string, sandbox: RunningSandbox): Promise<void> {
  const entry = pathToFileURL(join(folder, 'node_modules/shortlink-sdk/dist/index.js')).href
  const { ShortLinkClient } = (await import(entry)) as typeof import('shortlink-sdk')
  const address = `${url}/api/shortlink`
  const client = new ShortLinkClient({ baseUrl: address, openerUrl: `${address}/opener`, apiKey: null, retry: 0 })
  const rows = await client.campaigns.list({ limit: 2 }).toArray()
  expect(rows.length === 5, `expected 5 campaigns, received ${rows.length}`)
  const link = await client.opener.create({ url: 'https://www.youtube.com/watch?v=1' })
  expect(link.provider === 'YouTube', `the provider is ${link.provider}`)
  await client.files.upload('größe & more? #100%.bin', new Uint8Array(SIZE))
  const sent = (await sandbox.requests()).at(-1)!
  expect(decodeURIComponent(sent.path) === '/files/upload/größe & more? #100%.bin', `the path is ${sent.path}`)
  expect(sent.size === SIZE, `${sent.size} bytes arrived`)
  expect(sent.headers['content-length'] === String(SIZE), `the length is ${sent.headers['content-length']}`)
}

async function checkRefusals(url: string, sandbox: RunningSandbox): Promise<void> {
  const before = (await sandbox.requests()).length
  const expected: Record<string, number[]> = {
    '/api/shortlink/account': [403],
    '/api/shortlink/../../account': [404],
    '/api/shortlink/%2e%2e/account': [403, 404],
    '/api/shortlink/files/upload/..%2f..%2faccount': [403],
    '/api/shortlink//campaigns': [403],
    '/api/shortlink\\campaigns\\..\\account': [400, 403, 404],
    'http://evil.example/api/shortlink/account': [400, 403, 404],
  }
  for (const [target, statuses] of Object.entries(expected)) {
    const status = await requestRaw(url, target)
    expect(statuses.includes(status), `GET ${target} got ${status}`)
  }
  expect((await sandbox.requests()).length === before, 'a refused call reached the platform')
}

/** Returns the status for a request target that fetch would normalize. */
function requestRaw(url: string, target: string): Promise<number> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => {
      socket.write(`GET ${target} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nConnection: close\r\n\r\n`)
    })
    let answer = ''
    socket.on('data', (chunk) => {
      answer += chunk
    })
    socket.on('error', reject)
    socket.on('close', () => resolve(Number(answer.slice(9, 12))))
  })
}

function expect(condition: boolean, message: string): void {
  if (!condition) throw new Error(message)
}
