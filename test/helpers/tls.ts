import { connect, createServer as createTcpServer } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { selfSigned } from '../fixtures/self-signed.ts'
import { listen } from './server.ts'

/** Starts a server that reads a request over TLS, does its work, and then sends a record that cannot be decrypted. */
export async function startBreakingTls(): Promise<{ origin: string; requests: () => number }> {
  let requests = 0
  const server = createTlsServer(selfSigned, (socket) => {
    let received = ''
    socket.on('error', () => {})
    socket.on('data', (data) => {
      received += data
      // The body of these requests is an object.
      if (!received.endsWith('}')) return
      received = ''
      requests++
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n{"error":0}')
    })
  })
  const upstreamPort = Number(new URL(await listen(server)).port)
  const front = createTcpServer((socket) => {
    const requestsBefore = requests
    const upstream = connect(upstreamPort, '127.0.0.1')
    socket.on('error', () => upstream.destroy())
    upstream.on('error', () => socket.destroy())
    socket.pipe(upstream)
    upstream.on('data', (data) => {
      if (requests > requestsBefore) data[data.length - 1]! ^= 0xff
      socket.write(data)
    })
  })
  const { port } = new URL(await listen(front))
  return { origin: `https://localhost:${port}`, requests: () => requests }
}
