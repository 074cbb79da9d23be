import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import madge from 'madge'
import { expect, test } from 'vitest'

/** From the outermost layer to the innermost. A file or folder imports from its own layer and from those below. */
const layers = [
  ['cli'],
  ['node.ts'],
  ['tasks'],
  ['index.ts', 'schemas.ts', 'proxy'],
  ['client.ts'],
  ['resources'],
  ['options.ts', 'http'],
  ['rate-limit', 'fields'],
  ['checks'],
  ['errors.ts'],
  ['secrets.ts'],
  ['runtime'],
]

// What madge parses with uses something deprecated, and says so.
process.noDeprecation = true
const graph = await madge(fileURLToPath(new URL('../../src', import.meta.url)), { fileExtensions: ['ts'] })
process.noDeprecation = false
/** The client is what was asked for: its rooms count as if they lay in src. */
function partName(file: string): string {
  return file.replace(/^client\//, '')
}

// package.json lies outside of src.
const imports = Object.entries(graph.obj()).flatMap(([from, files]) =>
  files.filter((to) => !to.startsWith('../')).map((to) => ({ from: partName(from), to: partName(to) })),
)
const isTesting = (file: string) => file.startsWith('testing/')
const isCommand = (file: string) => file.startsWith('cli/')
const shown = ({ from, to }: { from: string; to: string }) => `${from} imports ${to}`

function layerOf(file: string): number {
  const [top = file] = file.split('/')
  const layer = layers.findIndex((names) => names.includes(top))
  if (layer === -1) throw new Error(`src/${top} has no layer in this test`)
  return layer
}

test('the sources have no circular imports, type imports included', () => {
  expect(imports.length).toBeGreaterThan(100)
  expect(graph.circular()).toEqual([])
})

test('the client imports in one direction, from its entries down to the errors', () => {
  const client = imports.filter(({ from, to }) => !isTesting(from) && !isTesting(to))
  const upward = client.filter(({ from, to }) => layerOf(to) < layerOf(from))
  expect(upward.map(shown)).toEqual([])
})

test('nothing of the client but serve, for Node, imports the sandbox', () => {
  const crossing = imports.filter(({ from, to }) => isTesting(to) && !isTesting(from) && !isCommand(from))
  expect(crossing.map(shown)).toEqual(['node.ts imports testing/server.ts'])
})

// The platform must not be written with the eyes of the client, which is tested against it. The checks of the sandbox's
// own options are no part of the platform, and neither is the limiter in `clientOptions`, which has an error and a type
// of the client.
test('the sandbox imports nothing of the client but checks of options, and what its limiter for the client is made of', () => {
  const shared = [
    'errors.ts',
    'checks/checks.ts',
    'rate-limit/limiter.ts',
    'rate-limit/window.ts',
    'runtime/async-disposable.ts',
    'runtime/clock.ts',
  ]
  const crossing = imports.filter(({ from, to }) => isTesting(from) && !isTesting(to))
  const isPlatform = (file: string) => file.startsWith('testing/platform/')
  const isStub = (file: string) => file === 'testing/stubs.ts'
  const others = crossing.filter(({ from, to }) => isPlatform(from) || !(shared.includes(to) || isStub(from)))
  expect(others.map(shown)).toEqual([])
})

test('a stub of a method is made of the promises of the client, and the sandbox does without it', () => {
  const ofStubs = imports.filter(({ from }) => from === 'testing/stubs.ts').map(({ to }) => to)
  expect(ofStubs.filter((file) => !isTesting(file))).toEqual([
    'http/api-promise.ts',
    'http/envelope.ts',
    'http/list.ts',
  ])
  const users = imports.filter(({ to }) => to === 'testing/stubs.ts')
  expect(users.map(shown)).toEqual(['testing/index.ts imports testing/stubs.ts'])
})

const textOf = (file: string) => readFileSync(new URL(`../../src/${file}`, import.meta.url), 'utf8')

// An error has a code, an outcome and marks to decide by, and has them from the start.
test('no error is changed after it was made, and nothing is decided by the message of one', () => {
  const decides = /\.message\.(startsWith|endsWith|includes|match|search|replace|split)\(|\.(test|exec)\(\w+\.message\)/
  const changes =
    /Object\.assign\((error|\w*Error|thrown|reason)\b|\b(error|thrown|reason)\.(message|outcome|retryable) = /
  const files = Object.keys(graph.obj()).filter((file) => !file.startsWith('../') && !isTesting(file))
  const found = files.flatMap((file) =>
    textOf(file)
      .split('\n')
      .filter((line) => changes.test(line) || decides.test(line))
      .map((line) => `${file}: ${line.trim()}`),
  )
  expect(files.length).toBeGreaterThan(80)
  expect(found).toEqual([])
})

test('the picture in CONTRIBUTING.md has an arrow for each import between parts that no longer way implies', async () => {
  const partOf = (file: string) => file.split('/')[0]!.replace('.ts', '')
  const parts = new Map<string, Set<string>>()
  for (const { from, to } of imports) {
    const reached = parts.get(partOf(from)) ?? new Set()
    parts.set(partOf(from), reached.add(partOf(to)))
  }
  const others = (part: string) => [...(parts.get(part) ?? [])].filter((other) => other !== part)
  const leadsTo = (part: string, target: string): boolean =>
    others(part).some((other) => other === target || leadsTo(other, target))
  const arrows = [...parts.keys()].flatMap((part) =>
    others(part)
      .filter((target) => !others(part).some((other) => other !== target && leadsTo(other, target)))
      .map((target) => `${part} --> ${target}`),
  )
  const guide = await readFile(new URL('../../.github/CONTRIBUTING.md', import.meta.url), 'utf8')
  expect((guide.match(/^ {2}\S+ --> \S+$/gm) ?? []).map((line) => line.trim()).sort()).toEqual(arrows.sort())
})
