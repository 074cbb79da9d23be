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

/** The layers of `src`, outermost first. A file or folder imports only from its own layer and those below. */
const layers = [
  ['node.ts'],
  ['index.ts', 'schemas.ts', 'proxy'],
  ['client.ts'],
  ['links'],
  ['resources'],
  ['options.ts', 'http'],
  ['rate-limit'],
  ['platform'],
  ['definition.ts'],
  ['parse'],
  ['checks'],
  ['errors.ts'],
  ['secrets.ts'],
  ['runtime'],
]

/** The layers of `cli/src`, outermost first. */
const cliLayers = [
  ['index.ts', 'node.ts', 'command'],
  ['tasks'],
  ['abort.ts', 'addresses.ts', 'closable.ts', 'domains.ts', 'text.ts'],
]

const root = fileURLToPath(new URL('../../', import.meta.url))

// madge's parser prints a deprecation warning.
process.noDeprecation = true
const graph = await madge(`${root}src`, { fileExtensions: ['ts'] })
const cliGraph = await madge(`${root}cli/src`, { fileExtensions: ['ts'] })
process.noDeprecation = false

/** Returns a path without its leading `client/`: the folders of the client are layers of `src`. */
const withoutClient = (file: string) => file.replace(/^client\//, '')

interface Import {
  readonly from: string
  readonly to: string
}

/** Returns the files of a graph without package.json, which is outside the folder. */
const filesOf = (graph: madge.MadgeInstance) => Object.keys(graph.obj()).filter((file) => !file.startsWith('../'))

/** Returns the imports between the files of a folder. */
function importsOf(graph: madge.MadgeInstance): Import[] {
  const files = graph.obj()
  return filesOf(graph).flatMap((from) =>
    files[from]!.filter((to) => !to.startsWith('../')).map((to) => ({
      from: withoutClient(from),
      to: withoutClient(to),
    })),
  )
}

const imports = importsOf(graph)
const isTesting = (file: string) => file.startsWith('testing/')
const describeImport = ({ from, to }: Import) => `${from} imports ${to}`

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

test('the client imports in one direction, from its entries down to `runtime`', () => {
  const client = imports.filter(({ from, to }) => !isTesting(from) && !isTesting(to))
  expect(client.filter((each) => isUpward(each, layers)).map(describeImport)).toEqual([])
})

test('the command imports the tasks, and the tasks import nothing from the command', () => {
  expect(
    importsOf(cliGraph)
      .filter((each) => isUpward(each, cliLayers))
      .map(describeImport),
  ).toEqual([])
})

/** Pure files of the client that shortlink-cli shares by path, so that both packages have one copy of the code. */
const sharedWithCli = [
  'checks/mismatch.ts',
  'links/match.ts',
  'runtime/abort.ts',
  'runtime/notify.ts',
  'runtime/short-address.ts',
  'runtime/similar-name.ts',
  'runtime/text.ts',
]

/** Returns whether a user of the published shortlink-sdk could write this import, or the file is a shared one. */
function isPublicImport(file: string, specifier: string): boolean {
  if (specifier.startsWith('.')) {
    const target = posix.join(posix.dirname(file), specifier)
    const isShared = sharedWithCli.includes(target.replace(/^src\/client\//, ''))
    return target.startsWith('cli/src/') || target === 'cli/package.json' || isShared
  }
  if (specifier.startsWith('node:')) return isBuiltin(specifier)
  const [name] = /^(@[^/]+\/)?[^/]+/.exec(specifier)!
  return name === sdk.name ? `.${specifier.slice(name.length)}` in sdk.exports : name in cli.dependencies
}

test('shortlink-cli imports only its own files, shared ones, its dependencies and the entries of shortlink-sdk', () => {
  const pairs = filesOf(cliGraph).flatMap((name) => {
    const { importedFiles } = ts.preProcessFile(readFileSync(`${root}cli/src/${name}`, 'utf8'))
    return importedFiles.map(({ fileName }) => [`cli/src/${name}`, fileName] as const)
  })
  expect(pairs.length).toBeGreaterThan(100)
  expect(pairs.filter((pair) => !isPublicImport(...pair)).map((pair) => pair.join(' imports '))).toEqual([])
})

test('the files that shortlink-cli shares import only each other, so it bundles no error class of shortlink-sdk', () => {
  const below = imports.filter(({ from }) => sharedWithCli.includes(from)).map(({ to }) => to)
  expect([...new Set(below)].filter((file) => !sharedWithCli.includes(file))).toEqual(['runtime/environment.ts'])
  expect(imports.filter(({ from }) => from === 'runtime/environment.ts')).toEqual([])
  const used = filesOf(cliGraph).flatMap((name) => {
    const { importedFiles } = ts.preProcessFile(readFileSync(`${root}cli/src/${name}`, 'utf8'))
    return importedFiles.flatMap(({ fileName }) => fileName.split('/src/client/')[1] ?? [])
  })
  expect([...new Set(used)].sort()).toEqual(sharedWithCli)
})

test.each([
  ['../../../src/client/errors.ts', 'a file of shortlink-sdk'],
  ['../../../package.json', 'the manifest of shortlink-sdk'],
  ['shortlink-sdk/src/client/errors.ts', 'a file of shortlink-sdk by its name'],
  ['shortlink-sdk/tasks', 'an entry that shortlink-sdk does not have'],
  ['ky', 'a dependency of shortlink-sdk alone'],
  ['vitest', 'a dependency of the repository'],
  ['fs', 'a module of Node without its prefix'],
])('isPublicImport rejects %s: %s', (specifier) => {
  expect(isPublicImport('cli/src/tasks/import.ts', specifier)).toBe(false)
})

test('no regular expression of the client has a lookbehind, which Safari below 16.4 cannot parse', () => {
  const files = filesOf(graph).filter((file) => !isTesting(file))
  expect(files.filter((file) => /\(\?<[=!]/.test(readFileSync(`${root}src/${file}`, 'utf8')))).toEqual([])
})

test('nothing of the client but serve, for Node, imports the sandbox', () => {
  const crossing = imports.filter(({ from, to }) => isTesting(to) && !isTesting(from))
  expect(crossing.map(describeImport)).toEqual(['node.ts imports testing/server.ts'])
})

// The client is tested against the platform in the sandbox, so the two must not share code. The checks of the sandbox's
// options and the limiter in `clientOptions` are not part of the platform.
test('the sandbox imports only the checks of options and the parts of its limiter from the client', () => {
  const shared = [
    'errors.ts',
    'checks/checks.ts',
    'rate-limit/limiter.ts',
    'rate-limit/rate-limiter.ts',
    'rate-limit/window.ts',
    'runtime/async-disposable.ts',
    'runtime/clock.ts',
    'runtime/similar-name.ts',
  ]
  const crossing = imports.filter(({ from, to }) => isTesting(from) && !isTesting(to))
  const isPlatform = (file: string) => file.startsWith('testing/platform/')
  const isStub = (file: string) => file === 'testing/stubs.ts'
  const others = crossing.filter(({ from, to }) => isPlatform(from) || !(shared.includes(to) || isStub(from)))
  expect(others.map(describeImport)).toEqual([])
})

test('stubs of methods use the promises of the client, and the sandbox does not use the stubs', () => {
  const ofStubs = imports.filter(({ from }) => from === 'testing/stubs.ts').map(({ to }) => to)
  expect(ofStubs.filter((file) => !isTesting(file))).toEqual(['definition.ts', 'http/api-promise.ts', 'http/list.ts'])
  const users = imports.filter(({ to }) => to === 'testing/stubs.ts')
  expect(users.map(describeImport)).toEqual(['testing/index.ts imports testing/stubs.ts'])
})

test('the diagram in CONTRIBUTING.md has an arrow for each import between parts, unless a longer path implies it', async () => {
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
