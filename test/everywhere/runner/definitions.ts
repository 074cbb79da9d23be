import { spawn } from 'node:child_process'
import { mkdir, readFile, realpath, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Finding } from './report.ts'

const program = `import { ShortLinkClient } from 'shortlink-sdk'
import { bulk } from 'shortlink-sdk/bulk'
import { createSandbox } from 'shortlink-sdk/testing'
const client = new ShortLinkClient(createSandbox().clientOptions)
bulk([1], (id) => client.campaigns.assignLink(1, id))
`

/** What an editor that asks for the definition of a name opens, and what the line begins with that it goes to. */
const sources: Record<string, [file: string, line: string]> = {
  'ShortLinkClient(': ['client.ts', 'export class ShortLinkClient'],
  'createSandbox(': ['testing/sandbox.ts', 'export function createSandbox'],
  'bulk(': ['bulk/bulk.ts', 'export function bulk'],
  'assignLink(': ['resources/campaigns.ts', 'assignLink('],
}

/** Asks the server behind every editor with TypeScript where “go to definition” leads in the installed package. */
export async function tryDefinitions(folder: string): Promise<Finding> {
  const name = 'go to definition'
  const project = join(folder, 'definitions')
  const file = join(project, 'program.ts')
  await mkdir(project)
  await writeFile(file, program)
  await writeFile(join(project, 'tsconfig.json'), '{ "compilerOptions": { "module": "nodenext" } }')
  const requests = Object.keys(sources).map((text) => {
    const before = program.slice(0, program.indexOf(text)).split('\n')
    return { command: 'definition', arguments: { file, line: before.length, offset: before.at(-1)!.length + 1 } }
  })
  const answers = await ask([{ command: 'open', arguments: { file } }, ...requests], requests.length)
  const wrong: string[] = []
  for (const [index, [text, [path, line]]] of Object.entries(sources).entries()) {
    const { file: opened, start } = answers[index] ?? { file: 'nowhere', start: { line: 1 } }
    const expected = join(await realpath(folder), 'node_modules/shortlink-sdk/dist/src', path)
    const lines = opened === expected ? (await readFile(opened, 'utf8')).split('\n') : []
    if (!lines[start.line - 1]?.trim().startsWith(line)) wrong.push(`${text} leads to ${opened}:${start.line}`)
  }
  if (wrong.length > 0) return { name, outcome: 'failed', detail: wrong.join('; ') }
  return { name, outcome: 'passed', detail: 'a class, functions and a method lead to their sources' }
}

/** A place in a file, lines counted from 1. */
interface Place {
  file: string
  start: { line: number }
}

/** Sends requests to TypeScript's server, and returns the first place that each of the answers names. */
async function ask(requests: object[], answers: number): Promise<(Place | undefined)[]> {
  const server = createRequire(import.meta.url).resolve('typescript/lib/tsserver.js')
  const child = spawn(process.execPath, [server, '--disableAutomaticTypingAcquisition'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  for (const [seq, request] of requests.entries()) {
    child.stdin.write(`${JSON.stringify({ seq, type: 'request', ...request })}\n`)
  }
  const places: (Place | undefined)[] = []
  for await (const line of createInterface(child.stdout)) {
    const message = line.startsWith('{') ? JSON.parse(line) : {}
    if (message.command === 'definition') places.push(message.body?.[0])
    if (places.length === answers) child.stdin.end()
  }
  return places
}
