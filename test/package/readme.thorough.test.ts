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
const methodsPage = await readFile(new URL('../../docs/src/content/docs/guides/methods.md', import.meta.url), 'utf8')
const example = await readFile(new URL('../../examples/testing/first.test.ts', import.meta.url), 'utf8')
const cliReadme = await readFile(new URL('../../cli/README.md', import.meta.url), 'utf8')

/** The programs of both READMEs. */
const snippets = fencesOf(`${readme}\n${cliReadme}`).filter(({ words: [language = ''] }) =>
  ['ts', 'js'].includes(language),
)

/** The README shows the test of the examples without its imports. */
const isTest = (code: string) => code.startsWith('test(')

const files = snippets.map(({ code }, index) => ({
  path: `${folder}snippet-${index + 1}.ts`,
  text: isTest(code) ? example : `${code}\nexport {}\n`,
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

test('the README is 90 lines of 120 characters at most, and has both commands in the first 20', () => {
  const lines = readme.split('\n')
  expect(lines.length - 1).toBeLessThanOrEqual(90)
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

test('the first program has at most 15 lines, sets the three options, and prints what the README shows', async () => {
  expect(snippets[0]?.code.trim().split('\n').length).toBeLessThanOrEqual(15)
  expect(files[0]?.text).toMatch(/baseUrl: .*\n *openerUrl: .*\n *apiKey: /)
  const shown = fencesOf(readme).find(({ words: [language] }) => language === 'text')?.code
  // `shortlink-sandbox` shows its own address, with another port in each run.
  const normalize = (text = '') => text.trim().replaceAll(/https?:\/\/\S*\//g, '…/')
  printed.mockClear()
  await import(pathToFileURL(files[0]!.path).href)
  expect(normalize(printed.mock.calls.map((values) => values.join(' ')).join('\n'))).toBe(normalize(shown))
  printed.mockClear()
  await import(`${pathToFileURL(files[0]!.path).href}?again`)
  const names = sampleData().campaigns.map(({ name }) => [name])
  expect(printed.mock.calls).toEqual([...names, Array.from({ length: 3 }, () => expect.stringMatching(/^https?:\S+$/))])
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

test('the page of all methods has every method of each sub-client, with its parameters', { timeout: 400_000 }, () => {
  const inCode = parametersInCode()
  const parts = [...methodsPage.matchAll(/^## `client\.(\w+)`.*\n([\s\S]*?)(?=^## )/gm)]
  const methods = parts.flatMap(([, subClient, list = '']) =>
    [...list.matchAll(/^- `(\w+)\(([^{]*?)(?:, )?(?:\{ (.*?) \})?\)`/gm)].map(([, method, names, fields]) => {
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

test('the first link of the README leads to the page of all methods, and only links are marked there', () => {
  expect(/\]\(([^)]*)\)/.exec(readme)?.[1]).toBe('docs/src/content/docs/guides/methods.md')
  expect(methodsPage.match(/^## .* \(outside the reference\)$/gm)).toEqual([
    '## `client.links` (outside the reference)',
  ])
})

test('the program about errors prints the code, the outcome and the message, as its comment says', async () => {
  printed.mockClear()
  await import(pathToFileURL(files[1]!.path).href)
  const line = 'not_found, rejected: GET /qr/999: 404 QR code does not exist.'
  expect(printed.mock.calls).toEqual([[line]])
  expect(snippets[1]?.code).toContain(`\n// ${line}\n`)
})

test('the error of a server without links says so before it mentions the address', async () => {
  const sandbox = createSandbox()
  sandbox.fail({ path: '/url/add', status: 404, body: { error: 1, message: 'Not found.' } })
  const { links } = new ShortLinkClient(sandbox.clientOptions)
  const { error } = await links.create({ url: 'https://shop.example' }).safe()
  expect(error?.message).toMatch(/404 Not found\. This server may have no links section.*baseUrl/)
})

test('the README shows the test that the examples run', () => {
  const shown = snippets.filter(({ code }) => isTest(code))
  expect(shown).toHaveLength(1)
  expect(example.endsWith(`\n${shown[0]?.code}`)).toBe(true)
})

test('every program of both READMEs compiles', { timeout: 400_000 }, () => {
  expect(typeErrors(files.map(({ path }) => path))).toEqual([])
})
