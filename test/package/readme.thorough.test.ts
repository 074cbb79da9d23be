import { access, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { ShortLinkClient } from 'shortlink-sdk'
import { serve } from 'shortlink-sdk/node'
import { createSandbox, sampleData } from 'shortlink-sdk/testing'
import ts from 'typescript'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createProgram, fencesOf, typeErrors } from '../helpers/snippets.ts'

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

test('the README is 115 lines of 120 characters at most, tables apart, and has both commands in the first 20', () => {
  const lines = readme.split('\n')
  expect(lines.length - 1).toBeLessThanOrEqual(115)
  expect(lines.filter((line) => line.length > 120 && !line.startsWith('|'))).toEqual([])
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

/** The parameters of a method. Optional fields of its parameter object end with `?`. */
interface Parameters {
  readonly names: readonly string[]
  readonly fields: readonly string[]
}

/** Reads the parameters of each method of each sub-client from its types, without those that all calls or lists have. */
function parametersInCode(): Map<string, Parameters> {
  const path = fileURLToPath(new URL('../../src/client/client.ts', import.meta.url))
  const program = createProgram([path])
  const checker = program.getTypeChecker()
  const file = program.getSourceFile(path)!
  const typeOf = (symbol: ts.Symbol) => checker.getNonNullableType(checker.getTypeOfSymbolAtLocation(symbol, file))
  const shared = ['options', 'limit', 'page']
  const exports = checker.getExportsOfModule(checker.getSymbolAtLocation(file)!)
  const client = exports.find(({ name }) => name === 'ShortLinkClient')!
  const subClients = checker
    .getDeclaredTypeOfSymbol(client)
    .getProperties()
    .filter((member) => typeOf(member).symbol?.name.endsWith('Resource'))
  return new Map(
    subClients.flatMap((subClient) =>
      typeOf(subClient)
        .getProperties()
        .flatMap((method) => {
          const [signature] = typeOf(method).getCallSignatures()
          if (!signature) return []
          const all = signature.getParameters().filter(({ name }) => !shared.includes(name))
          const objects = all.filter(({ name }) => name === 'params' || name === 'query')
          const fields = objects
            .flatMap((parameter) => typeOf(parameter).getProperties())
            .filter(({ name }) => !shared.includes(name))
            .map(({ name, flags }) => (flags & ts.SymbolFlags.Optional ? `${name}?` : name))
          const names = all.filter((parameter) => !objects.includes(parameter)).map(({ name }) => name)
          return [[`${subClient.name}.${method.name}`, { names, fields: fields.sort() }] as const]
        }),
    ),
  )
}

test('the table of sub-clients has every method of each, with its parameters', { timeout: 400_000 }, () => {
  const inCode = parametersInCode()
  const rows = [...readme.matchAll(/^\| `client\.(\w+)`(?: \(outside the reference\))? \| (.*) \|$/gm)]
  const methods = rows.flatMap(([, subClient, cell = '']) =>
    [...cell.matchAll(/`(\w+)\(([^{]*?)(?:, )?(?:\{ (.*?) \})?\)`/g)].map(([, method, names, fields]) => {
      const name = `${subClient}.${method}`
      const shown = fields?.split(', ') ?? []
      // `…` stands for further optional fields.
      const isHidden = (field: string) => shown.includes('…') && field.endsWith('?') && !shown.includes(field)
      const all = [...shown.filter((field) => field !== '…'), ...(inCode.get(name)?.fields.filter(isHidden) ?? [])]
      return [name, { names: names?.split(', ').filter(Boolean) ?? [], fields: all.sort() }] as const
    }),
  )
  expect(Object.fromEntries(methods)).toEqual(Object.fromEntries(inCode))
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
