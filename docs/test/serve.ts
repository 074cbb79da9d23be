import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join, normalize } from 'node:path'
import { gzipSync } from 'node:zlib'
import { pagePolicy, workerPath, workerPolicy } from '../site/policy.ts'

const types: Record<string, string> = {
  '.css': 'text/css',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.ttf': 'font/ttf',
  '.txt': 'text/plain; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
}

export interface Served {
  /** The site's address, with a slash at its end. */
  url: string
  /** Addresses that were asked for and are not there. */
  missing: string[]
  /** Files that were asked for. */
  served: Set<string>
  close(): void
}

/** Serves the built site as a host does that sends the policies as headers, from a folder of the server such as `/a/b/`. */
export async function serve(folder: string, base: string): Promise<Served> {
  const missing: string[] = []
  const served = new Set<string>()
  const compressed = new Map<string, Buffer>()
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost')
    const path = pathname.startsWith(base) ? `/${pathname.slice(base.length)}` : undefined
    const name = path?.endsWith('/') ? `${path}index.html` : path
    try {
      if (name === undefined) throw new Error('outside the folder of the site')
      const file = join(folder, normalize(decodeURIComponent(name)))
      const content = compressed.get(file) ?? gzipSync(await readFile(file), { level: 1 })
      compressed.set(file, content)
      served.add(file)
      response.setHeader('Content-Security-Policy', name === workerPath ? workerPolicy : pagePolicy)
      response.setHeader('Content-Type', types[extname(name)] ?? 'application/octet-stream')
      response.setHeader('Content-Encoding', 'gzip')
      response.end(content)
    } catch {
      if (pathname !== '/favicon.ico') missing.push(pathname)
      response.writeHead(404).end()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}${base}`,
    missing,
    served,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
