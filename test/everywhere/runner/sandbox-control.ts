import { createServer, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'
import type { SandboxServer } from 'shortlink-sdk/node'
import type { Fault, Sandbox } from 'shortlink-sdk/testing'
import { checksum, type RemoteOptions, RemoteSandbox } from '../suite/remote-sandbox.ts'
import { listen } from './listen.ts'

export interface SandboxControl {
  /** The address for {@link RemoteSandbox.create}. */
  url: string
  close(): Promise<void>
}

/**
 * Starts a server that creates sandboxes of the packed package for suites in other processes, each on its own port, and
 * adds faults to them.
 */
export async function startSandboxControl(folder: string): Promise<SandboxControl> {
  const load = (file: string) => import(pathToFileURL(`${folder}/node_modules/shortlink-sdk/dist/${file}.js`).href)
  const { createSandbox, sampleData } = (await load('testing/index')) as typeof import('shortlink-sdk/testing')
  const { serve } = (await load('node')) as typeof import('shortlink-sdk/node')
  const running = new Map<string, { sandbox: Sandbox; close: () => Promise<void> }>()
  let count = 0

  async function make({ rows, data = sampleData(rows), ...options }: RemoteOptions) {
    const sandbox = createSandbox({ ...options, data })
    const served = await serve(sandbox)
    const front = await startCorsServer(served)
    const id = String(++count)
    const close = async () => void (await Promise.all([front.close(), served.close()]))
    running.set(id, { sandbox, close })
    return { id, baseUrl: `${front.url}/api`, openerUrl: `${front.url}/opener`, apiKey: sandbox.apiKey }
  }

  async function act(path: string, body: object): Promise<unknown> {
    const [, , id, action] = path.split('/')
    if (!id) return await make(body)
    const found = running.get(id)
    if (!found) throw new Error(`unknown sandbox ${id}`)
    if (action === 'fail') found.sandbox.fail(body as Fault)
    if (action === 'requests') return found.sandbox.requests.map(withoutBytes)
    if (action === 'close') {
      running.delete(id)
      await found.close()
    }
    return {}
  }

  const server = createServer(async (request, response) => {
    response.setHeader('Access-Control-Allow-Origin', '*').setHeader('Content-Type', 'application/json')
    try {
      response.end(JSON.stringify(await act(request.url ?? '', JSON.parse((await text(request)) || '{}'))))
    } catch (error) {
      response.writeHead(500).end(JSON.stringify(String(error)))
    }
  })
  const { url, close } = await listen(server)
  return {
    url,
    async close() {
      for (const sandbox of running.values()) await sandbox.close()
      await close()
    },
  }
}

/** Starts a server in front of a sandbox, through which pages of any origin can call it and read response headers. */
async function startCorsServer({ baseUrl }: SandboxServer) {
  const server = createServer((incoming, outgoing) => {
    for (const [name, value] of Object.entries(corsHeaders)) outgoing.setHeader(name, value)
    const { method, url, headers } = incoming
    if (method === 'OPTIONS') return void outgoing.writeHead(204).end()
    const onward = request(new URL(url!, baseUrl), { method, headers })
    onward.on('response', (response) => {
      outgoing.writeHead(response.statusCode!, response.headers).flushHeaders()
      response.on('error', () => incoming.socket.resetAndDestroy()).pipe(outgoing)
    })
    onward.on('error', () => incoming.socket.resetAndDestroy())
    outgoing.on('close', () => onward.destroy())
    incoming.pipe(onward)
  })
  return listen(server)
}

const corsHeaders = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Methods': 'GET, POST, PUT, DELETE',
  'Access-Control-Allow-Headers': 'Authorization, Content-Type',
  'Access-Control-Expose-Headers': 'X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After, Date',
}

function withoutBytes(request: Sandbox['requests'][number]): object {
  const { body, size } = request
  return body instanceof Uint8Array ? { ...request, body: { size, checksum: checksum(body) } } : request
}

/** Creates a sandbox with enough rows for a few pages. */
export async function makeSandbox(control: string): Promise<RunningSandbox> {
  return await RemoteSandbox.create(control, { rows: 5, rateLimit: false })
}

export type RunningSandbox = RemoteSandbox
