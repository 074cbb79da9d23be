import { access, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { ShortLinkClient } from 'shortlink-sdk'
import { serve } from 'shortlink-sdk/node'
import { createSandbox, sampleData } from 'shortlink-sdk/testing'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { fencesOf, typeErrors } from '../helpers/snippets.ts'

// The folder is inside the project, so that imports of dependencies resolve.
const folder = fileURLToPath(new URL('.tmp/readme/', import.meta.url))
const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8')
const cliReadme = await readFile(new URL('../../cli/README.md', import.meta.url), 'utf8')

/** The programs of both READMEs. */
const snippets = fencesOf(`${readme}\n${cliReadme}`).filter(({ words: [language = ''] }) =>
  ['ts', 'js'].includes(language),
)

const files = snippets.map(({ code }, index) => ({
  path: `${folder}snippet-${index + 1}.ts`,
  text: `${code}\nexport {}\n`,
}))

let server: Awaited<ReturnType<typeof serve>>
const printed = vi.fn()

beforeAll(async () => {
  const sandbox = createSandbox({ data: sampleData(), apiKey: 'readme-key' })
  server = await serve(sandbox)
  vi.stubEnv('SHORTLINK_BASE_URL', server.baseUrl)
  vi.stubEnv('SHORTLINK_OPENER_URL', server.openerUrl)
  vi.stubEnv('SHORTLINK_API_KEY', sandbox.apiKey)
  vi.spyOn(console, 'log').mockImplementation(printed)
  await mkdir(folder, { recursive: true })
  for (const { path, text } of files) await writeFile(path, text)
})

afterAll(async () => {
  await server.close()
  await rm(folder, { recursive: true })
})

test('every test that SECURITY.md names exists', async () => {
  const security = await readFile(new URL('../../.github/SECURITY.md', import.meta.url), 'utf8')
  const named = [...security.matchAll(/`((?:cli\/)?test\/\S+)`/g)].map(([, path]) => path!)
  expect(named.length).toBeGreaterThan(20)
  await Promise.all(named.map((path) => access(new URL(`../../${path}`, import.meta.url))))
})

test('the README is 110 lines of 120 characters at most, and has both commands in the first 20', () => {
  const lines = readme.split('\n')
  expect(lines.length - 1).toBeLessThanOrEqual(110)
  expect(lines.filter((line) => line.length > 120)).toEqual([])
  expect(lines.slice(0, 20).join('\n')).toMatch(/^npm ci && npm run demo .*\nnpm cit /m)
})

test('the README of shortlink-cli has at most 60 lines of 120 characters, and starts with npx', () => {
  const lines = cliReadme.split('\n')
  expect(lines.length - 1).toBeLessThanOrEqual(60)
  expect(lines.filter((line) => line.length > 120)).toEqual([])
  expect(fencesOf(cliReadme)[0]?.code).toContain('npx shortlink-cli import')
})

test('the command that runs a program follows the program', () => {
  const saved = readme.indexOf('Save this as `first.mjs`')
  expect(saved).toBeGreaterThan(0)
  expect(readme.indexOf('node first.mjs')).toBeGreaterThan(saved)
})

test('the first program sets the three options, and prints the names of the campaigns and three addresses', async () => {
  expect(files[0]?.text).toMatch(/baseUrl: .*\n *openerUrl: .*\n *apiKey: /)
  for (const run of [1, 2]) {
    printed.mockClear()
    await import(`${pathToFileURL(files[0]!.path).href}?${run}`)
    const names = sampleData().campaigns.map(({ name }) => [name])
    const addresses = Array.from({ length: 3 }, () => expect.stringMatching(/^https?:\/\/\S+$/))
    expect(printed.mock.calls).toEqual([...names, addresses])
  }
})

test('the overview of the site starts with the first program', async () => {
  const overview = await readFile(new URL('../../docs/src/content/docs/index.md', import.meta.url), 'utf8')
  expect(fencesOf(overview)[0]?.code).toBe(snippets[0]?.code)
})

/** The methods of a sub-client, inherited ones included. */
function methodsOf(value: object): string[] {
  const prototype = Object.getPrototypeOf(value)
  if (prototype === Object.prototype) return []
  const own = Object.getOwnPropertyNames(prototype).filter((name) => name !== 'constructor')
  return [...own, ...methodsOf(prototype)]
}

test('the table of sub-clients has every method of each', () => {
  const client = new ShortLinkClient()
  const rows = [...readme.matchAll(/^\| `client\.(\w+)`(?: \(outside the reference\))? \| (.*) \|$/gm)].map(
    ([, name = '', methods = '']) => [name, [...methods.matchAll(/`(\w+)`/g)].map(([, method]) => method).sort()],
  )
  const isSubClient = (value: unknown): value is object => /Resource$/.test(Object(value).constructor.name)
  const subClients = Object.entries(client).filter(([, value]) => isSubClient(value))
  const expected = subClients.map(([name, value]) => [name, methodsOf(value).sort()])
  expect(expected).toHaveLength(11)
  expect(Object.fromEntries(rows)).toEqual(Object.fromEntries(expected))
})

test('only links are marked as outside the reference', () => {
  expect(readme.match(/^\| `client\.\w+` \(outside the reference\)/gm)).toEqual([
    '| `client.links` (outside the reference)',
  ])
})

test('the program about errors prints the code, the outcome and the message', async () => {
  printed.mockClear()
  await import(pathToFileURL(files[1]!.path).href)
  expect(printed.mock.calls).toEqual([['not_found, rejected: GET /qr/999: 404 QR code does not exist.']])
})

test('the error of a server without links says so before it mentions the address', async () => {
  const sandbox = createSandbox()
  sandbox.fail({ path: '/url/add', status: 404, body: { error: 1, message: 'Not found.' } })
  const { links } = new ShortLinkClient(sandbox.clientOptions)
  const { error } = await links.create({ url: 'https://shop.example' }).safe()
  expect(error?.message).toMatch(/404 Not found\. This server may have no links section.*baseUrl/)
})

test('the README shows the test that the examples run', async () => {
  const example = await readFile(new URL('../../examples/testing/first.test.ts', import.meta.url), 'utf8')
  expect(snippets[2]?.code).toBe(example)
})

test('every program of both READMEs compiles', { timeout: 400_000 }, () => {
  expect(typeErrors(files.map(({ path }) => path))).toEqual([])
})
