import { createServer, type Server } from 'node:http'
import type { Server as HttpsServer } from 'node:https'
import type { AddressInfo } from 'node:net'

/** Starts a server on a free port of loopback. */
export async function listen(
  server: Server | HttpsServer,
): Promise<{ url: string; port: number; close(): Promise<void> }> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    close() {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

/**
 * Returns a function that finds free ports from `first` on. `first` should be below the ephemeral ports of the system,
 * so that no other program takes a port before it is used. Each Vitest worker has its own hundred ports.
 */
export function portsFrom(first: number): () => Promise<number> {
  let next = first + 100 * Number(process.env.VITEST_POOL_ID ?? 0)
  return async function nextFree(): Promise<number> {
    const server = createServer()
    const port = next++
    const isFree = await new Promise((resolve) => {
      server.on('error', () => resolve(false)).listen(port, () => server.close(() => resolve(true)))
    })
    return isFree ? port : nextFree()
  }
}

/** Finds a free port. */
export const freePort = portsFrom(19_000)
