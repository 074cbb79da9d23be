import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { portsFrom } from '../../everywhere/runner/listen.ts'

/** Whether redis-server is installed, as it must be in CI. */
export const hasRedis = spawnSync('redis-server', ['--version']).status === 0

if (!hasRedis) {
  const message = 'redis-server is not installed: the tests of many processes need it (apt-get install redis-server)'
  if (process.env.CI === 'true') throw new Error(message)
  console.warn(message)
}

export interface RedisServer {
  readonly port: number
  start(): Promise<void>
  stop(): Promise<void>
}

/** Starts a redis-server for one test file, in memory, on a free loopback port. */
export async function startRedis(): Promise<RedisServer> {
  const port = await freePort()
  let server: ChildProcess | undefined

  async function start(): Promise<void> {
    const settings = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no']
    server = spawn('redis-server', settings, { stdio: ['ignore', 'pipe', 'inherit'] })
    for await (const chunk of server.stdout!) if (String(chunk).includes('Ready to accept connections')) break
    server.stdout!.resume()
  }

  async function stop(): Promise<void> {
    if (!server || server.exitCode !== null) return
    const gone = once(server, 'exit')
    server.kill('SIGKILL')
    await gone
  }

  await start()
  return { port, start, stop }
}

const freePort = portsFrom(18_000)
