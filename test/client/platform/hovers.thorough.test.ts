/** What an editor shows of the types that are inferred from schemas. */
import { fileURLToPath } from 'node:url'
import * as schemas from 'shortlink-sdk/schemas'
import ts from 'typescript'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const { config } = ts.readConfigFile(`${root}tsconfig.json`, ts.sys.readFile)
const { options } = ts.parseJsonConfigFileContent({ ...config, files: [], include: [] }, ts.sys, root)

/** The programs of all tests, by file, so that one compiler reads them all. */
const programs = new Map<string, string>()
let service: ts.LanguageService | undefined

/** Adds a program, in which `^` marks the name to hover over. Returns what the language service shows there. */
function hoverIn(marked: string): () => { text: string; docs: string } {
  const file = `${root}test/client/platform/hovered-${programs.size}.ts`
  programs.set(file, marked.replace('^', ''))
  return () => {
    service ??= createService()
    expect(service.getSemanticDiagnostics(file)).toEqual([])
    const info = service.getQuickInfoAtPosition(file, marked.indexOf('^'))
    return {
      text: ts.displayPartsToString(info?.displayParts),
      docs: ts.displayPartsToString(info?.documentation),
    }
  }
}

const createService = () =>
  ts.createLanguageService({
    getCompilationSettings: () => options,
    getScriptFileNames: () => [...programs.keys()],
    getScriptVersion: () => '1',
    getScriptSnapshot: (name) => {
      const text = programs.get(name) ?? ts.sys.readFile(name)
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text)
    },
    getCurrentDirectory: () => root,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: (name) => programs.has(name) || ts.sys.fileExists(name),
    readFile: ts.sys.readFile,
    directoryExists: ts.sys.directoryExists,
    getDirectories: ts.sys.getDirectories,
  })

it.each(
  Object.keys(schemas).map((name) => {
    const program = `import type { ${name} } from 'shortlink-sdk/schemas'\nexport type Row = ^${name}\n`
    return [name, hoverIn(program)] as const
  }),
)('the type %s is shown in one line', (name, hover) => {
  expect(hover().text).toMatch(new RegExp(`^\\(alias\\) interface ${name}\\nimport ${name}$`))
})

const call = hoverIn(`import { ShortLinkClient } from 'shortlink-sdk'
export const ^call = new ShortLinkClient().campaigns.create({ name: 'Spring' })
`)

it('the type of a call is shown by its name', () => {
  expect(call().text).toBe('const call: ApiPromise<CreatedCampaign>')
})

const fields: [string, string, string, string][] = [
  [
    'a row of a list',
    `for await (const row of client.domains.list()) console.log(row.^redirect404)`,
    '(property) redirect404: string | null',
    'The URL that visits to unknown paths are redirected to; `null` if none is set.',
  ],
  ['an object in a result', `console.log((await client.qr.get(1)).^details)`, '(property) details: QrCode', ''],
  [
    'a field of such an object',
    `console.log((await client.qr.get(1)).details.^scans)`,
    '(property) scans: number',
    'The number of scans.',
  ],
  [
    'a part that may be left out',
    `console.log((await client.qr.get(1)).^data)`,
    '(property) data?: QrStatistics | undefined',
    '`undefined` if the server sends none.',
  ],
  [
    'what a creation sends back',
    `console.log((await client.campaigns.create({})).^rotator)`,
    '(property) rotator?: string | false | undefined',
    'The URL of the rotator, built from the slug; `false` if the campaign has no public one.',
  ],
]

it.each(
  fields.map(([of, use, text, docs]) => {
    const program = `import { ShortLinkClient } from 'shortlink-sdk'\nconst client = new ShortLinkClient()\n${use}\n`
    return [of, hoverIn(program), text, docs] as const
  }),
)('the field of %s is shown with its type and its docs', (_, hover, text, docs) => {
  expect(hover()).toEqual({ text, docs })
})
