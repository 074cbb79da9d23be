import { copyFile, writeFile } from 'node:fs/promises'
import { createServer, request } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { connect } from 'node:net'
import { join } from 'node:path'
import { listen } from './listen.ts'
import type { Finding } from './report.ts'
import { makeSandbox } from './sandbox-control.ts'
import { run } from './shell.ts'
import { all, find, linkTools, loadTool, root } from './tools.ts'

const nodes: Record<string, { path: string; env: Record<string, string> }> = {
  "undici's dispatcher": { path: process.execPath, env: { DISPATCHER: 'undici' } },
  'Node 24, NODE_USE_ENV_PROXY': { path: 'node-24/bin/node', env: { NODE_USE_ENV_PROXY: '1' } },
  ...(all && { 'Node 26, NODE_USE_ENV_PROXY': { path: 'node-26/bin/node', env: { NODE_USE_ENV_PROXY: '1' } } }),
}

/** Makes calls over TLS through a CONNECT proxy that requires a password, as in many companies. */
export async function tryNetworkProxy(folder: string, control: string): Promise<Finding[]> {
  await copyFile(join(root, 'test/everywhere/hosts/behind-proxy.mjs'), join(folder, 'behind-proxy.mjs'))
  await linkTools(folder, 'undici')
  const sandbox = await makeSandbox(control)
  const { port, ca, close } = await serveTls(new URL(sandbox.baseUrl), folder)
  const findings: Finding[] = []
  for (const [name, { path, env }] of Object.entries(nodes)) {
    const binary = await find(path)
    if (!binary) {
      findings.push({ name, outcome: 'skipped', detail: `${path} is not installed` })
      continue
    }
    const proxy = await startProxy()
    const { code, output } = await run(binary, ['behind-proxy.mjs'], {
      cwd: folder,
      env: {
        ...env,
        HTTPS_PROXY: proxy.url,
        NODE_EXTRA_CA_CERTS: ca,
        SHORTLINK_BASE_URL: `https://localhost:${port}/api`,
        SHORTLINK_API_KEY: sandbox.apiKey,
      },
    })
    await proxy.close()
    const tunnelled = proxy.tunnels.length > 0 && proxy.tunnels.every((target) => target === `localhost:${port}`)
    const passed = code === 0 && output.includes('5 campaigns') && tunnelled
    const detail = passed ? 'lists and uploads over TLS, through CONNECT' : `${output}\ntunnels: ${proxy.tunnels}`
    findings.push({ name, outcome: passed ? 'passed' : 'failed', detail })
  }
  await close()
  await sandbox.close()
  return findings
}

/** Puts TLS in front of a server, with a self-signed certificate. */
async function serveTls({ hostname, port }: URL, folder: string) {
  const { cert, private: key } = await loadTool('selfsigned').generate([{ name: 'commonName', value: 'localhost' }])
  const ca = join(folder, 'ca.pem')
  await writeFile(ca, cert)
  const server = createHttpsServer({ cert, key }, (incoming, outgoing) => {
    const { method, url: path, headers } = incoming
    const upstream = request({ hostname, port, method, path, headers }, (response) => {
      outgoing.writeHead(response.statusCode!, response.headers)
      response.pipe(outgoing)
    })
    incoming.pipe(upstream)
  })
  return { ...(await listen(server)), ca }
}

/** Starts a proxy that supports only CONNECT and requires a password. */
async function startProxy() {
  const tunnels: string[] = []
  const expected = `Basic ${Buffer.from('user:password').toString('base64')}`
  const server = createServer((_, response) => response.writeHead(405).end())
  server.on('connect', ({ url = '', headers }, socket, head) => {
    if (headers['proxy-authorization'] !== expected) {
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n')
      return
    }
    tunnels.push(url)
    const { hostname, port } = new URL(`http://${url}`)
    const upstream = connect(Number(port), hostname === 'localhost' ? '127.0.0.1' : hostname, () => {
      socket.write('HTTP/1.1 200 Connected\r\n\r\n')
      upstream.write(head)
      upstream.pipe(socket).pipe(upstream)
    })
    socket.on('error', () => upstream.destroy())
    upstream.on('error', () => socket.destroy())
  })
  const { port, close } = await listen(server)
  return { url: `http://user:password@127.0.0.1:${port}`, tunnels, close }
}
