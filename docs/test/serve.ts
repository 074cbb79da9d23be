import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import sirv from 'sirv'
import { docs } from '../site/folders.ts'

/** The built site. */
export const folder = `${docs}dist/`

export interface Served {
  /** The site's address, with a slash at its end. */
  url: string
  /** Addresses that were asked for and are not there. */
  missing: string[]
  /** Addresses that were asked for and are there. */
  found: Set<string>
  close(): void
}

/** Serves the built site as a host does that reads `_headers`. */
export async function serve(): Promise<Served> {
  const missing: string[] = []
  const found = new Set<string>()
  const worker = '/run/worker.js'
  const [, policy] = /(default-src .*)/.exec((await readFile(`${folder}_headers`, 'utf8')).split(worker)[1]!)!
  const files = sirv(folder, {
    setHeaders: (response, path) => {
      found.add(path)
      if (path === worker) response.setHeader('Content-Security-Policy', policy!)
    },
    onNoMatch: ({ url }, response) => {
      if (url !== '/favicon.ico') missing.push(url!)
      response.writeHead(404).end()
    },
  })
  const server = createServer((request, response) => files(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { url: `http://127.0.0.1:${port}/`, missing, found, close }
}
