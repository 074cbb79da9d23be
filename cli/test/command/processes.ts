import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serve } from 'shortlink-sdk/node'
import { createSandbox, type Sandbox, type SandboxOptions } from 'shortlink-sdk/testing'
import { onTestFinished } from 'vitest'

type Call = Parameters<Sandbox['fetch']>

/** Sets up a sandbox on a port, a folder for files, and a function that starts the built command in a process. */
export async function setUpProcesses(
  cli: string,
  { rateLimit = false, data = { links: [] }, ...options }: SandboxOptions = {},
) {
  const sandbox = createSandbox({ rateLimit, data, ...options })
  let onResponse = () => {}
  let answer = sandbox.fetch
  const answering: Sandbox = Object.create(sandbox, { fetch: { value: (...call: Call) => answer(...call) } })
  const server = await serve(answering, { log: () => onResponse() })
  const folder = await mkdtemp(join(tmpdir(), 'command-'))
  const children = new Set<ChildProcess>()
  onTestFinished(async () => {
    for (const child of children) child.kill('SIGKILL')
    await server.close()
    await rm(folder, { recursive: true })
  })
  const variables = { SHORTLINK_BASE_URL: server.baseUrl, SHORTLINK_API_KEY: sandbox.apiKey }
  const env = { ...process.env, ...variables, SHORTLINK_RATE_LIMIT: rateLimit ? String(rateLimit.requests) : 'off' }
  return {
    sandbox,
    folder,
    /** The environment variables of a command that uses this sandbox. */
    env,
    /** Sets a callback for every response of the sandbox. */
    watch: (callback: () => void) => {
      onResponse = callback
    },
    /** Sets the function that answers requests, instead of the sandbox. */
    setFetch: (fetch: Sandbox['fetch']) => {
      answer = fetch
    },
    /** Starts the command, or a script if the first argument is one. */
    start: (...args: string[]) => {
      const isScript = args[0]!.endsWith('.mjs')
      const child = spawn(process.execPath, [...(isScript ? [] : [cli]), ...args], { env, stdio: 'pipe' })
      children.add(child)
      const output = { stdout: '', stderr: '' }
      child.stdout.on('data', (text) => {
        output.stdout += text
      })
      child.stderr.on('data', (text) => {
        output.stderr += text
      })
      const ended = once(child, 'close').then(([status, signal]) => ({ status, signal, ...output }))
      return { child, ended, output }
    },
  }
}
