import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { isBuiltin } from 'node:module'
import { posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import madge from 'madge'
import ts from 'typescript'
import { expect, test } from 'vitest'
import cli from '../../cli/package.json' with { type: 'json' }
import sdk from '../../package.json' with { type: 'json' }

/** From the outermost layer to the innermost. A file or folder imports from its own layer and from those below. */
const layers = [
  ['node.ts'],
  ['index.ts', 'schemas.ts', 'proxy'],
  ['client.ts'],
  ['links'],
  ['resources'],
  ['options.ts', 'http'],
  ['rate-limit', 'fields'],
  ['checks'],
  ['errors.ts'],
  ['secrets.ts'],
  ['runtime'],
]

/** The same for `cli/src`. */
const cliLayers = [
  ['index.ts', 'node.ts', 'command'],
  ['tasks'],
  ['abort.ts', 'addresses.ts', 'closable.ts', 'text.ts'],
]

const root = fileURLToPath(new URL('../../', import.meta.url))

// What madge parses with uses something deprecated, and says so.
process.noDeprecation = true
const graph = await madge(`${root}src`, { fileExtensions: ['ts'] })
const cliGraph = await madge(`${root}cli/src`, { fileExtensions: ['ts'] })
process.noDeprecation = false
/** The folders of the client count as if they were in src. */
function partName(file: string): string {
  return file.replace(/^client\//, '')
}

interface Import {
  readonly from: string
  readonly to: string
}

/** The files of a folder: package.json is outside of it. */
const filesOf = (graph: madge.MadgeInstance) => Object.keys(graph.obj()).filter((file) => !file.startsWith('../'))

/** The imports between the files of a folder. */
function importsOf(graph: madge.MadgeInstance): Import[] {
  const files = graph.obj()
  return filesOf(graph).flatMap((from) =>
    files[from]!.filter((to) => !to.startsWith('../')).map((to) => ({
      from: partName(from),
      to: partName(to),
    })),
  )
}

const imports = importsOf(graph)
const isTesting = (file: string) => file.startsWith('testing/')
const shown = ({ from, to }: Import) => `${from} imports ${to}`

function layerOf(file: string, layers: readonly string[][]): number {
  const [top = file] = file.split('/')
  const layer = layers.findIndex((names) => names.includes(top))
  if (layer === -1) throw new Error(`${top} has no layer in this test`)
  return layer
}

const isUpward = ({ from, to }: Import, layers: readonly string[][]) => layerOf(to, layers) < layerOf(from, layers)

test('the sources have no circular imports, type imports included', () => {
  expect(imports.length).toBeGreaterThan(100)
  expect(graph.circular()).toEqual([])
  expect(importsOf(cliGraph).length).toBeGreaterThan(50)
  expect(cliGraph.circular()).toEqual([])
})

test('the client imports in one direction, from its entries down to the errors', () => {
  const client = imports.filter(({ from, to }) => !isTesting(from) && !isTesting(to))
  expect(client.filter((each) => isUpward(each, layers)).map(shown)).toEqual([])
})

test('the command imports from the tasks, and the tasks nothing of the command', () => {
  expect(
    importsOf(cliGraph)
      .filter((each) => isUpward(each, cliLayers))
      .map(shown),
  ).toEqual([])
})

/** Returns whether a file in `cli/src` imports what a user of the published shortlink-sdk could import too. */
function isPublicImport(file: string, specifier: string): boolean {
  if (specifier.startsWith('.')) {
    const target = posix.join(posix.dirname(file), specifier)
    return target.startsWith('cli/src/') || target === 'cli/package.json'
  }
  if (specifier.startsWith('node:')) return isBuiltin(specifier)
  const [name] = /^(@[^/]+\/)?[^/]+/.exec(specifier)!
  return name === sdk.name ? `.${specifier.slice(name.length)}` in sdk.exports : name in cli.dependencies
}

test('shortlink-cli imports its own files, its dependencies and the entries of shortlink-sdk', () => {
  const pairs = filesOf(cliGraph).flatMap((name) => {
    const { importedFiles } = ts.preProcessFile(readFileSync(`${root}cli/src/${name}`, 'utf8'))
    return importedFiles.map(({ fileName }) => [`cli/src/${name}`, fileName] as const)
  })
  expect(pairs.length).toBeGreaterThan(100)
  expect(pairs.filter((pair) => !isPublicImport(...pair)).map((pair) => pair.join(' imports '))).toEqual([])
})

test.each([
  ['../../../src/client/errors.ts', 'a file of shortlink-sdk'],
  ['../../../package.json', 'the manifest of shortlink-sdk'],
  ['shortlink-sdk/src/client/errors.ts', 'a file of shortlink-sdk by its name'],
  ['shortlink-sdk/tasks', 'an entry that shortlink-sdk does not have'],
  ['ky', 'a dependency of shortlink-sdk alone'],
  ['vitest', 'a dependency of the repository'],
  ['fs', 'a module of Node without its prefix'],
])('an import of %s from the tasks would be noticed: %s', (specifier) => {
  expect(isPublicImport('cli/src/tasks/import.ts', specifier)).toBe(false)
})

test('nothing of the client but serve, for Node, imports the sandbox', () => {
  const crossing = imports.filter(({ from, to }) => isTesting(to) && !isTesting(from))
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

// An error has a code, an outcome and marks to decide by, and has them from the start.
test('no error is changed after it was made, and nothing is decided by the message of one', () => {
  const decides = /\.message\.(startsWith|endsWith|includes|match|search|replace|split)\(|\.(test|exec)\(\w+\.message\)/
  const changes =
    /Object\.assign\((error|\w*Error|thrown|reason)\b|\b(error|thrown|reason)\.(message|outcome|retryable) = /
  const client = filesOf(graph).filter((file) => !isTesting(file))
  const files = [...client.map((file) => `src/${file}`), ...filesOf(cliGraph).map((file) => `cli/src/${file}`)]
  const found = files.flatMap((file) =>
    readFileSync(root + file, 'utf8')
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
