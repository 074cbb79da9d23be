import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtemp, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { ShortLinkClient } from 'shortlink-sdk'
import { serve } from 'shortlink-sdk/node'
import { createProxy } from 'shortlink-sdk/proxy'
import { createSandbox, sampleData } from 'shortlink-sdk/testing'
import { run } from '../harness.ts'

const require = createRequire(import.meta.url)
const out = await mkdtemp(join(tmpdir(), 'react-native-'))
const system = process.platform === 'darwin' ? 'osx-bin' : 'linux64-bin'

/** Bundles with Metro and the default configuration of React Native. */
async function bundle(entry: string, file: string): Promise<string> {
  const Metro = require('metro')
  const config = await Metro.loadConfig({ cwd: import.meta.dirname }, { reporter: { update() {} } })
  const output = join(out, file)
  await Metro.runBuild(config, { entry, out: output, platform: 'android', dev: false, minify: false })
  return output
}

test('Metro bundles an app, and the compiler of React Native accepts it', { timeout: 600_000 }, async () => {
  const app = await bundle('index.js', 'app.js')
  await run(require.resolve(`hermes-compiler/hermesc/${system}/hermesc`), [
    '-w',
    '-emit-binary',
    '-out',
    `${app}.hbc`,
    app,
  ])
})

const program = `(0, eval)(${JSON.stringify(await readFile(await bundle('vm/index.js', 'vm.js'), 'utf8'))})`
for (const [version, hasNewAbortController] of Object.entries({ 0.81: false, 0.88: true })) {
  const { results, uploaded, output } = await runHermes(
    `globalThis.hasNewAbortController = ${hasNewAbortController}; ${program}`,
  )
  test(`the Hermes VM runs every check, with the globals of React Native ${version}`, () => {
    assert.ok(results.length > 0, output)
    assert.equal(String(uploaded), 'tea')
  })
  for (const { name, reason } of results) {
    test(`${name}, in React Native ${version}`, () => assert.ok(!reason, reason))
  }
}

interface Message {
  timer?: number
  ms?: number
  request?: number
  method?: string
  url?: string
  headers?: Record<string, string>
  body?: string | number[]
  passed?: string
  failed?: string
  reason?: string
  done?: boolean
}

/** Starts the virtual machine of React Native, with this process as its native side: timers and the network. */
async function runHermes(program: string) {
  const sandbox = createSandbox({ data: sampleData(120) })
  const served = await serve(sandbox)
  sandbox.fail({ path: '/qr/:id', stall: true })
  sandbox.fail({ path: '/channels', drop: 'before' })
  const proxy = createProxy(new ShortLinkClient({ baseUrl: served.baseUrl, apiKey: sandbox.apiKey }), {
    prefix: '/api/shortlink',
    allow: [
      'GET /account',
      'GET /urls',
      'POST /url/add',
      'DELETE /campaign/:id/delete',
      'GET /channels',
      'GET /qr/:id',
      'POST /files/upload/:filename',
    ],
    authorize: 'everyone',
  })
  const child = spawn(require.resolve(`hermes-engine-cli/${system}/hermes`), ['-Xmicrotask-queue', '-prompt='])
  const evaluate = (code: string) => void (child.stdin.writable && child.stdin.write(`${code}\n`))
  const results: { name: string; reason?: string }[] = []
  const lines: string[] = []

  async function act(message: Message): Promise<void> {
    if (message.timer) setTimeout(() => evaluate(`native.fire(${message.timer})`), message.ms).unref()
    if (message.request) evaluate(`native.respond(${message.request}, ${JSON.stringify(await send(message))})`)
    if (message.passed) results.push({ name: message.passed })
    if (message.failed) results.push({ name: message.failed, reason: message.reason ?? 'failed' })
    if (message.done) child.stdin.end()
  }

  async function send({ method, url, headers, body }: Message) {
    const bytes = Array.isArray(body) ? new Uint8Array(body) : body
    const response = await proxy(new Request(url!, { method, headers, body: bytes }))
    const text = await response.text()
    const lines = [...response.headers].map(([name, value]) => `${name}: ${value}\r\n`)
    return { status: response.status, headers: lines.join(''), body: text }
  }

  child.stderr.on('data', (chunk) => lines.push(String(chunk)))
  createInterface(child.stdout).on('line', (line) => {
    if (line.startsWith('@')) void act(JSON.parse(line.slice(1)))
    else lines.push(line)
    if (line.startsWith('Uncaught')) child.stdin.end()
  })
  const ended = new Promise((resolve) => child.on('close', resolve))
  evaluate(program)
  evaluate('run()')
  await ended
  await served.close()
  const { body = [] } = sandbox.requests.find(({ path }) => path.startsWith('/files/upload/')) ?? {}
  const uploaded = Buffer.from(body as Uint8Array)
  return { results, uploaded, output: lines.join('\n').slice(0, 3000) }
}
