import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { posix } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { formatWithOptions } from 'node:util'
import { serve } from 'shortlink-sdk/node'
import { createSandbox, sampleData } from 'shortlink-sdk/testing'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { parseExampleOptions } from '../../docs/site/example-options.ts'
import { countRequests } from '../bench/requests.ts'
import { hasRedis, type RedisServer, startRedis } from '../client/rate-limit/redis.ts'
import { type Fence, fencesOf, needsRedis, typeErrors } from '../helpers/snippets.ts'

/*
 * Tests the examples of the documentation. docs/README.md describes their fences. As in the browser, each `ts run`
 * example runs with its own sandbox as the global fetch. A `ts node` example has its sandbox on a port.
 *
 * DOCS_OUTPUT=write writes what the examples print and the files of the frameworks' projects into the pages. Read the
 * changes before you commit them.
 */
const pagesFolder = fileURLToPath(new URL('../../docs/src/content/docs/', import.meta.url))
// The folder is inside the project, so that imports of dependencies resolve.
const folder = fileURLToPath(new URL('.tmp/docs/', import.meta.url))

// The pages in api/ are generated with the site, which runs their examples.
const names = (await readdir(pagesFolder, { recursive: true }))
  .filter((name) => /\.mdx?$/.test(name) && !name.startsWith('api/'))
  .sort()
const pages = await Promise.all(
  names.map(async (name) => ({ name, text: await readFile(`${pagesFolder}${name}`, 'utf8') })),
)

const examples = pages.flatMap(({ name, text }) =>
  fencesOf(text).flatMap((fence, index, fences) => {
    const [language = '', kind] = fence.words
    if (!['ts', 'js'].includes(language) || (kind !== 'run' && kind !== 'node')) return []
    const next = fences[index + 1]
    return {
      title: `${name}, line ${fence.line}`,
      kind,
      fence,
      needsRedis: needsRedis(fence.code),
      page: name,
      output: next?.words.join(' ') === 'text output' ? next : undefined,
      path: `${folder}${name.replaceAll(/\W/g, '-')}-${fence.line}.${language}`,
    }
  }),
)

/** Files of projects in test/frameworks that pages show: the fences with a title, on pages named like a project. */
const projects = await readdir('test/frameworks')
const files = pages.flatMap(({ name: page, text }) => {
  const name = posix.basename(page, '.md')
  const project = name === 'test-environments' ? '.' : projects.find((each) => each === name)
  const folder = posix.join('test/frameworks', project ?? '')
  return fencesOf(text).flatMap((fence) =>
    project && fence.title ? [{ page, title: fence.title, fence, path: `${folder}/${fence.title}` }] : [],
  )
})

let redis: RedisServer | undefined

beforeAll(async () => {
  if (hasRedis) redis = await startRedis()
  await mkdir(folder, { recursive: true })
  for (const { path, fence } of examples) await writeFile(path, `${fence.code}\nexport {}\n`)
})

afterAll(async () => {
  await redis?.stop()
  await rm(folder, { recursive: true })
})

/** Records what a program prints, in the format of Node's console. */
function recordConsole(): string[] {
  const lines: string[] = []
  for (const method of ['log', 'info', 'warn', 'error', 'debug'] as const) {
    vi.spyOn(console, method).mockImplementation((...values: unknown[]) => {
      lines.push(formatWithOptions({ colors: false }, ...values))
    })
  }
  return lines
}

function setVariables(addresses: { baseUrl: string; openerUrl: string; apiKey: string }): void {
  vi.stubEnv('SHORTLINK_BASE_URL', addresses.baseUrl)
  vi.stubEnv('SHORTLINK_OPENER_URL', addresses.openerUrl)
  vi.stubEnv('SHORTLINK_API_KEY', addresses.apiKey)
}

async function runExample({ kind, path, fence }: { kind: string; path: string; fence: Fence }): Promise<string> {
  const { rows, ...options } = parseExampleOptions(fence.words.slice(2))
  const sandbox = createSandbox({ ...options, data: sampleData(rows) })
  const server = kind === 'node' ? await serve(sandbox) : undefined
  setVariables({ ...sandbox, ...server })
  if (redis) vi.stubEnv('REDIS_URL', `redis://127.0.0.1:${redis.port}`)
  if (kind === 'run') vi.stubGlobal('fetch', sandbox.fetch)
  const lines = recordConsole()
  try {
    await import(pathToFileURL(path).href)
  } finally {
    vi.restoreAllMocks()
    vi.unstubAllEnvs()
    vi.unstubAllGlobals()
    await server?.close()
  }
  return lines.map((line) => `${line}\n`).join('')
}

if (process.env.DOCS_OUTPUT === 'write') {
  test.each(pages)('writes the output of $name', { timeout: 400_000 }, async ({ name, text }) => {
    const changes: { fence: Fence; code: string }[] = []
    for (const example of examples) {
      if (example.page !== name || !example.output || (example.needsRedis && !hasRedis)) continue
      changes.push({ fence: example.output, code: await runExample(example) })
    }
    for (const { page, fence, path } of files) {
      if (page === name) changes.push({ fence, code: await readFile(path, 'utf8') })
    }
    changes.sort((one, other) => one.fence.line - other.fence.line)
    const lines = text.split('\n')
    for (const { fence, code } of changes.reverse()) {
      const length = fence.code.split('\n').length - 1
      lines.splice(fence.line - 1, length, ...code.split('\n').slice(0, -1))
    }
    await writeFile(`${pagesFolder}${name}`, lines.join('\n'))
  })
} else {
  for (const example of examples) {
    test.skipIf(example.needsRedis && !hasRedis)(`${example.title} prints what the page says`, async () => {
      const output = await runExample(example)
      if (example.output || example.kind === 'run') expect(output).toBe(example.output?.code ?? '')
    })
  }

  test.each(files)('$page shows $title unchanged from the project that CI runs', async ({ fence, path }) => {
    expect(fence.code).toBe(await readFile(path, 'utf8'))
  })
}

test('the examples compile', { timeout: 400_000 }, () => {
  expect(examples.length).toBeGreaterThan(50)
  expect(typeErrors(examples.map(({ path }) => path))).toEqual([])
})

test.each([
  ['recipes/testing.md', 'testing/first.test.ts'],
  ['guides/logging.md', 'tracing.ts'],
])('%s shows examples/%s unchanged', async (page, example) => {
  const text = await readFile(new URL(`../../examples/${example}`, import.meta.url), 'utf8')
  expect(pages.find(({ name }) => name === page)?.text).toContain(text)
})

test('the guide to lists has the same request counts as the benchmarks', async () => {
  const [own, plain] = [await countRequests(), await countRequests({ limit: 15 })]
  const guide = pages.find(({ name }) => name === 'guides/lists.md')?.text
  expect(guide).toContain(`| at the client's 100 rows a page | ${own.requests} | ${Math.round(own.minutes)} minutes |`)
  expect(guide).toContain(`15 rows a page | ${plain.requests} | ${Math.round(plain.minutes)} minutes |`)
})

test.each(pages)('$name links to pages that exist', async ({ name, text }) => {
  const prose = text.replaceAll(/^```[\s\S]*?^```$/gm, '')
  const targets = [...prose.matchAll(/\]\(([^)#:]+\.mdx?)(?:#[^)]*)?\)/g)].map(([, target = '']) => target)
  const here = pathToFileURL(`${pagesFolder}${name}`)
  const known = new Set(names.map((each) => pathToFileURL(`${pagesFolder}${each}`).href))
  expect(targets.filter((target) => !known.has(new URL(target, here).href))).toEqual([])
})
