import { execFile } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

/** Runs the audit of the inlined packages against a registry that knows an advisory for each of these packages. */
async function audit(...vulnerable: string[]): Promise<{ status: number; output: string }> {
  const registry = createServer((request, response) => {
    const isKnown = request.method === 'POST' && request.url === '/-/npm/v1/security/advisories/bulk'
    const advisory = { id: 1, url: 'https://advisories.example/1', title: 'A hole', severity: 'high' }
    const advisories = vulnerable.map((name) => [name, [{ ...advisory, vulnerable_versions: '*' }]])
    response.writeHead(isKnown ? 200 : 404, { 'content-type': 'application/json' })
    response.end(JSON.stringify(isKnown ? Object.fromEntries(advisories) : {}))
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => registry.once('listening', resolve))
  const env = { ...process.env, npm_config_registry: `http://127.0.0.1:${(registry.address() as AddressInfo).port}` }
  const args = ['--import', 'tsx', fileURLToPath(new URL('../../scripts/inlined.ts', import.meta.url)), 'audit']
  return await new Promise((resolve) => {
    const child = execFile(process.execPath, args, { env }, (_, stdout) => {
      registry.close()
      resolve({ status: child.exitCode!, output: stdout })
    })
  })
}

const timeout = 400_000

test.concurrent('an advisory for an inlined package fails the audit, and is named', { timeout }, async () => {
  const { status, output } = await audit('ky')
  expect(output).toMatch(/\bzod: advisories for ky\n$/)
  expect(status).toBe(1)
})

test.concurrent('an advisory for a package that is only used while developing does not', { timeout }, async () => {
  const { status, output } = await audit('esbuild')
  expect(output).toMatch(/^citty, .*\bky, .*\bzod: no advisory\n$/)
  expect(status).toBe(0)
})
