import { readdir, readFile } from 'node:fs/promises'
import { formatWithOptions } from 'node:util'
import { isShortLinkError } from 'shortlink-sdk'
import { createSandbox } from 'shortlink-sdk/testing'
import { afterEach, expect, test, vi } from 'vitest'
import { type Run, type Task, tasks } from './tasks.ts'

/*
 * Ten tasks, each with a solution that is written from the files of the package alone, and with a mistake that is easy to
 * make. The check, which neither sees, accepts the one and not the other.
 */
const here = new URL('.', import.meta.url)
const pagesFolder = new URL('../../docs/src/content/docs/', here)
const apiKey = 'the-key-of-the-tasks'
let runs = 0

afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  vi.unstubAllGlobals()
})

/** Runs a program as if the sandbox were the server, and checks what it did. */
async function attempt({ server: options, faults, check }: Task, path: string): Promise<void> {
  const server = createSandbox({ rateLimit: false, apiKey, ...options })
  vi.stubGlobal('fetch', server.fetch)
  vi.stubEnv('SHORTLINK_BASE_URL', server.baseUrl)
  vi.stubEnv('SHORTLINK_API_KEY', apiKey)
  if (!options?.rateLimit) vi.stubEnv('SHORTLINK_RATE_LIMIT', 'off')
  faults?.(server)
  const run = async (): Promise<Run> => {
    const printed: string[] = []
    for (const method of ['log', 'info', 'warn', 'error', 'debug'] as const) {
      vi.spyOn(console, method).mockImplementation((...values) => void printed.push(formatWithOptions({}, ...values)))
    }
    const exports = await import(new URL(`${path}?run=${runs++}`, here).href)
    return { server, printed, exports, again: run }
  }
  const first = await run()
  await check(first)
  expect(first.printed.join('\n')).not.toContain(apiKey)
}

test.each(Object.keys(tasks))('the solution of %s passes its check', async (name) => {
  await attempt(tasks[name]!, `solutions/${name}.ts`)
})

test.each(Object.keys(tasks))('the mistake in %s is found', async (name) => {
  const error = await attempt(tasks[name]!, `mistakes/${name}.ts`).then(String, (reason: Error) => reason)
  // By the check, or by the package: a mistake that does not run would show nothing.
  expect(error).toSatisfy((found) => isShortLinkError(found) || (found as Error).name === 'AssertionError')
})

test('there are ten tasks, and a solution needs nothing but the package and what its pages name', async () => {
  const files = Object.keys(tasks).map((name) => `${name}.ts`)
  expect(files).toHaveLength(10)
  expect((await readdir(new URL('solutions', here))).sort()).toEqual(files.sort())
  const names = (await readdir(pagesFolder, { recursive: true })).filter((name) => /^(?!api).*\.md$/.test(name))
  const pages = (await Promise.all(names.map((name) => readFile(new URL(name, pagesFolder), 'utf8')))).join('\n')
  for (const file of files) {
    const solution = await readFile(new URL(`solutions/${file}`, here), 'utf8')
    const imports = [...solution.matchAll(/^import (.+) from '(.+)'$/gm)]
    expect(imports.length).toBeGreaterThan(0)
    for (const [statement] of imports) expect(pages).toContain(statement)
  }
})
