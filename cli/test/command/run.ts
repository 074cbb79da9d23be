import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { formatWithOptions } from 'node:util'
import { serve } from 'shortlink-sdk/node'
import { createSandbox, type Sandbox, type SandboxOptions, sampleData } from 'shortlink-sdk/testing'
import { onTestFinished, vi } from 'vitest'
import { main } from '../../src/command/main.ts'

/** Starts a sandbox on a port, and creates a folder for files. Sets the variables of the command. */
export async function setUp(options: SandboxOptions = {}) {
  const sandbox = createSandbox({ data: { ...sampleData(), links: [] }, ...options })
  const server = await serve(sandbox)
  const folder = await mkdtemp(join(tmpdir(), 'command-'))
  onTestFinished(async () => {
    await server.close()
    await rm(folder, { recursive: true })
    vi.unstubAllEnvs()
  })
  vi.stubEnv('SHORTLINK_BASE_URL', server.baseUrl)
  vi.stubEnv('SHORTLINK_API_KEY', sandbox.apiKey)
  vi.stubEnv('SHORTLINK_RATE_LIMIT', 'off')
  const path = (name: string) => join(folder, name)
  return {
    sandbox,
    path,
    write: async (name: string, text: string | Buffer) => {
      await writeFile(path(name), text)
      return path(name)
    },
    read: (name: string) => readFile(path(name), 'utf8'),
    files: async () => (await readdir(folder)).sort(),
  }
}

/** Returns an address to shorten. */
export const shop = (name: string) => `https://shop.example/${name}`

/** Returns the parameters of the creations that were sent, in order, without generated aliases. */
export const sentTo = (sandbox: Sandbox) =>
  sandbox.requests
    .filter(({ method }) => method === 'POST')
    .map(({ body }) => {
      const isGenerated = ([name, value]: [string, unknown]) => name === 'custom' && /^[a-z0-9]{7}$/.test(String(value))
      return Object.fromEntries(Object.entries(body as object).filter((entry) => !isGenerated(entry)))
    })

/** Calls the command's listener for Ctrl+C, but not the listeners of the test runner. */
export const pressCtrlC = () => process.listeners('SIGINT').at(-1)!('SIGINT')

/** Runs the command, and returns its exit status and what it printed. */
export async function run(...args: string[]): Promise<{ status: number; stdout: string; stderr: string }> {
  let stdout = ''
  let stderr = ''
  const line = (values: unknown[]) => `${formatWithOptions({ colors: false }, ...values)}\n`
  const spies = [
    vi.spyOn(process.stdout, 'write').mockImplementation((text, ...callbacks: unknown[]) => {
      stdout += text
      const written = callbacks.at(-1)
      if (typeof written === 'function') written()
      return true
    }),
    vi.spyOn(console, 'log').mockImplementation((...values) => {
      stdout += line(values)
    }),
    vi.spyOn(console, 'error').mockImplementation((...values) => {
      stderr += line(values)
    }),
  ]
  try {
    const status = (await main(args)) ?? 0
    return { status, stdout, stderr }
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
}
