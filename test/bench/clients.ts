/**
 * The programs that are compared: the same list call with each client. Each is written to its own file, in a folder
 * where the clients are installed in the versions of `peers/package.json`, and this project as published. So each
 * program is bundled, imported and type-checked separately.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import cli from '../../cli/package.json' with { type: 'json' }
import sdk from '../../package.json' with { type: 'json' }

interface Client {
  imports: string
  /** Statements that create `client`, and may use `baseUrl`. */
  setup: string
  /** An expression that makes one list call and returns the rows. */
  list: string
  /** The default page size, and its source. */
  page?: [rows: number, source: string]
}

export const clients = {
  'ky 2': {
    imports: `import ky from 'ky'`,
    setup: `const client = ky.create({ headers: { authorization: 'Bearer key', 'content-type': 'application/json' } })
    const list = () => client.get(baseUrl + '/campaigns').json<{ data: { campaigns: { id: number; name: string }[] } }>()`,
    list: '(await list()).data.campaigns',
  },
  stripe: {
    imports: `import Stripe from 'stripe'`,
    setup: `const client = new Stripe('key', { host: baseUrl, httpClient: Stripe.createFetchHttpClient() })`,
    list: '(await client.customers.list()).data',
    page: [10, '`esm/shared.d.ts`: “the default is 10”'],
  },
  openai: {
    imports: `import OpenAI from 'openai'`,
    setup: `const client = new OpenAI({ baseURL: baseUrl, apiKey: 'key' })`,
    list: '(await client.models.list()).data',
    page: [20, 'API reference of its lists: “the default is 20”; the package does not say'],
  },
  resend: {
    imports: `import { Resend } from 'resend'`,
    setup: `const client = new Resend('key', { baseUrl })`,
    list: '(await client.emails.list()).data!.data',
    page: [20, '`dist/index.d.mts`: “default: 20”'],
  },
  'octokit core': {
    imports: `import { Octokit } from '@octokit/core'`,
    setup: `const client = new Octokit({ baseUrl, auth: 'key' })`,
    list: `(await client.request('GET /user/repos')).data`,
  },
  'octokit with 3 plugins': {
    imports: `import { Octokit } from '@octokit/core'
import { paginateRest } from '@octokit/plugin-paginate-rest'
import { retry } from '@octokit/plugin-retry'
import { throttling } from '@octokit/plugin-throttling'`,
    setup: `const throttle = { onRateLimit: () => true, onSecondaryRateLimit: () => true }
    const client = new (Octokit.plugin(throttling, retry, paginateRest))({ baseUrl, auth: 'key', throttle })`,
    list: `await client.paginate('GET /user/repos')`,
    page: [30, '`README.md` of plugin-paginate-rest: “usually defaulting to 30”'],
  },
  notion: {
    imports: `import { Client } from '@notionhq/client'`,
    setup: `const client = new Client({ baseUrl, auth: 'key' })`,
    list: '(await client.users.list({})).results',
    page: [100, 'API reference, “Parameters for paginated requests”; the package does not say'],
  },
  dub: {
    imports: `import { Dub } from 'dub'`,
    setup: `const client = new Dub({ serverURL: baseUrl, token: 'key' })`,
    list: '(await client.links.list({})).result',
    page: [100, '`src/models/operations/getlinks.ts`: `pageSize: … default(100)`'],
  },
  'dub, one function': {
    imports: `import { DubCore } from 'dub/core.js'
import { linksList } from 'dub/funcs/linksList.js'`,
    setup: `const client = new DubCore({ serverURL: baseUrl, token: 'key' })`,
    list: '(await linksList(client, {})).value!.result',
  },
  'short.io': {
    imports: `import { listLinks, setApiKey } from '@short.io/client-node'`,
    setup: `setApiKey('key')`,
    list: `(await listLinks({ query: { domain_id: 1 } })).data!.links`,
    page: [150, 'no default is written; 150 is the most that `dist/generated/zod.gen.js` accepts'],
  },
  'shortlink-sdk': {
    imports: `import { ShortLinkClient } from 'shortlink-sdk'`,
    // The limiter is on and counts every call. Its limit is too large for any call to wait.
    setup: `const rateLimit = { requests: 1e9, interval: 60_000 }
    const client = new ShortLinkClient({ baseUrl, apiKey: 'key', rateLimit })`,
    list: '(await client.campaigns.list()).items',
  },
} satisfies Record<string, Client>

export type ClientName = keyof typeof clients

export const root = fileURLToPath(new URL('../../', import.meta.url))
const peers = fileURLToPath(new URL('peers/', import.meta.url))

/** The folder with the programs and their dependencies. */
export const workspace = join(root, 'node_modules/.cache/bench')

/** The versions of the peers. */
export const versions: Record<string, string> = JSON.parse(
  readFileSync(join(peers, 'package.json'), 'utf8'),
).dependencies

/** Installs the peers, unless they are installed in these versions. */
export function installPeers(): void {
  const manifest = (folder: string) => readFileSync(join(folder, 'package.json'), 'utf8')
  if (existsSync(join(workspace, 'node_modules/.package-lock.json')) && manifest(workspace) === manifest(peers)) return
  cpSync(peers, workspace, { recursive: true })
  npm('install', '--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock')
}

/**
 * Installs both packed packages next to the peers, each with its own dependencies, and writes the programs.
 * Returns the kilobytes of each tarball.
 */
export function installProject() {
  mkdirSync(workspace, { recursive: true })
  for (const name of Object.keys(clients) as ClientName[]) writeFileSync(getProgramPath(name), createSource(name))
  writeFileSync(getProgramPath('empty'), 'export {}')
  return { 'shortlink-sdk': install(sdk, root), 'shortlink-cli': install(cli, join(root, 'cli')) }
}

function install({ name, dependencies }: { name: string; dependencies: object }, folder: string): number {
  const project = join(workspace, 'node_modules', name)
  rmSync(project, { recursive: true, force: true })
  mkdirSync(join(project, 'node_modules'), { recursive: true })
  const [{ filename, size }]: [{ filename: string; size: number }] = JSON.parse(
    npm('pack', folder, '--json', '--ignore-scripts'),
  )
  execFileSync('tar', ['-xzf', filename, '--strip-components=1', '-C', project], { cwd: workspace })
  for (const dependency of Object.keys(dependencies)) {
    // shortlink-cli uses the packed shortlink-sdk.
    if (dependency === sdk.name) continue
    symlinkSync(join(root, 'node_modules', dependency), join(project, 'node_modules', dependency))
  }
  return size / 1000
}

/** Returns the source of a client's program. */
export function createSource(name: ClientName): string {
  const { imports, setup, list } = clients[name]
  return `${imports}
export function connect(baseUrl: string) {
    ${setup}
    return async () => ${list}
}`
}

/** Runs npm in the folder of the programs, and returns its output. */
function npm(...args: string[]): string {
  return execFileSync('npm', args, { cwd: workspace, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
}

/** Returns the path of a client's program. */
export function getProgramPath(name: string): string {
  return join(workspace, `${name.replaceAll(/\W+/g, '-')}.ts`)
}

/** Returns the folders of the packages that a client's program imports. */
export function listPackages(name: ClientName): string[] {
  const names = [...clients[name].imports.matchAll(/ from '((?:@[^/']+\/)?[^/']+)/g)].map(([, found]) => found!)
  return [...new Set(names)].map((found) => join(workspace, 'node_modules', found))
}
