import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'
import type { Fault, Sandbox } from 'shortlink-sdk/testing'
import type { Served } from 'shortlink-sdk/testing/server'
import { checksum, type RemoteOptions, RemoteSandbox } from '../suite/remote-sandbox.ts'
import { listen } from './listen.ts'

export interface Control {
  /** Address of the control, for the suite. */
  url: string
  close(): Promise<void>
}

/**
 * Makes sandboxes for suites that run in other processes, each on a port of its own, and sets their faults. The sandbox
 * is the packed package's own.
 */
export async function startControl(packageFolder: string): Promise<Control> {
  const load = (file: string) => import(pathToFileURL(`${packageFolder}/dist/esm/testing/${file}.js`).href)
  const { createSandbox, sampleData } = (await load('index')) as typeof import('shortlink-sdk/testing')
  const { serve } = (await load('server')) as typeof import('shortlink-sdk/testing/server')
  const running = new Map<string, { sandbox: Sandbox; served: Served }>()
  let count = 0

  async function make({ rows, ...options }: RemoteOptions) {
    const sandbox = createSandbox({ ...options, data: sampleData(rows) })
    const served = await serve(sandbox, { cors: true })
    const id = String(++count)
    running.set(id, { sandbox, served })
    return { id, baseUrl: served.baseUrl, openerUrl: served.openerUrl, apiKey: sandbox.apiKey }
  }

  async function act(path: string, body: object): Promise<unknown> {
    const [, , id, action] = path.split('/')
    if (!id) return await make(body)
    const found = running.get(id)
    if (!found) throw new Error(`there is no sandbox ${id}`)
    if (action === 'fail') found.sandbox.fail(body as Fault)
    if (action === 'requests') return found.sandbox.requests.map(withoutBytes)
    if (action === 'close') {
      running.delete(id)
      await found.served.close()
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
      for (const { served } of running.values()) await served.close()
      await close()
    },
  }
}

function withoutBytes(request: Sandbox['requests'][number]): object {
  const { body, size } = request
  return body instanceof Uint8Array ? { ...request, body: { size, checksum: checksum(body) } } : request
}

/** A sandbox with enough rows for a few pages, for a program that is no suite. */
export async function makeSandbox(control: string): Promise<RunningSandbox> {
  return await RemoteSandbox.create(control, { rows: 5, rateLimit: false })
}

export type RunningSandbox = RemoteSandbox
