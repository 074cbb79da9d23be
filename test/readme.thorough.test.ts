import { access, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { createSandbox } from 'shortlink-sdk/testing'
import { serve } from 'shortlink-sdk/testing/server'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { fencesOf, needsRedis, typeErrors } from './helpers/snippets.ts'
import { hasRedis, type RedisServer, startRedis } from './limits/redis.ts'

// Inside the project, so that its imports resolve as everybody else's do.
const folder = fileURLToPath(new URL('.tmp/readme/', import.meta.url))
const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8')

/** The snippets, each under its heading. Those that are tests themselves run in a file of their own. */
const snippets = readme.split(/^## /m).flatMap((section) => {
  const heading = section.slice(0, section.indexOf('\n'))
  const programs = fencesOf(section).filter(({ words: [language] }) => language === 'ts')
  return programs.filter(({ code }) => !code.includes("from 'vitest'")).map(({ code }) => ({ heading, code }))
})

const prelude = "import { ShortLinkClient } from 'shortlink-sdk'\nconst client = new ShortLinkClient()\n"
const files = snippets.map(({ heading, code }, index) => ({
  title: `${heading}, snippet ${index + 1}`,
  path: `${folder}snippet-${index + 1}.ts`,
  text: `${/^(?!.*const client = ).*\bclient\./s.test(code) ? prelude : ''}${code}\nexport {}\n`,
}))

let server: Awaited<ReturnType<typeof serve>>
let redis: RedisServer | undefined

beforeAll(async () => {
  const sandbox = createSandbox({ rateLimit: false, apiKey: 'readme-key' })
  server = await serve(sandbox)
  vi.stubEnv('SHORTLINK_BASE_URL', server.baseUrl)
  vi.stubEnv('SHORTLINK_OPENER_URL', server.openerUrl)
  vi.stubEnv('SHORTLINK_API_KEY', sandbox.apiKey)
  if (hasRedis) redis = await startRedis()
  vi.stubEnv('REDIS_URL', `redis://127.0.0.1:${redis?.port}`)
  vi.spyOn(console, 'log').mockImplementation(() => {})
  await mkdir(folder, { recursive: true })
  for (const { path, text } of files) await writeFile(path, text)
})

afterAll(async () => {
  await server.close()
  await redis?.stop()
  await rm(folder, { recursive: true })
})

test('the README shows examples/testing-first.test.ts as it is', async () => {
  expect(readme).toContain(await readFile(new URL('../examples/testing-first.test.ts', import.meta.url), 'utf8'))
})

test('every link of the README leads to a file, and every address is used', async () => {
  const addresses = new Map([...readme.matchAll(/^\[([\w-]+)\]: (\S+)$/gm)].map(([, name, path]) => [name, path!]))
  const used = [...readme.matchAll(/\]\[([\w-]+)\]/g)].map(([, name]) => name)
  expect(new Set(used)).toEqual(new Set(addresses.keys()))
  const files = [...addresses.values(), ...[...readme.matchAll(/\]\(([^)]+)\)/g)].map(([, path]) => path!)]
  await Promise.all(files.map((path) => access(new URL(`../${path}`, import.meta.url))))
})

test('the README has snippets', () => {
  expect(files.length).toBeGreaterThan(4)
})

for (const { title, path, text } of files) {
  test.skipIf(needsRedis(text) && !hasRedis)(`${title} runs`, async () => {
    await import(pathToFileURL(path).href)
  })
}

test('every snippet of the README compiles', { timeout: 240_000 }, () => {
  expect(typeErrors(files.map(({ path }) => path))).toEqual([])
})
