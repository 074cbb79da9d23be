/** How editors show the types that are inferred from schemas. */
import { fileURLToPath } from 'node:url'
import * as schemas from 'shortlink-sdk/schemas'
import ts from 'typescript'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const { config } = ts.readConfigFile(`${root}tsconfig.json`, ts.sys.readFile)
const { options } = ts.parseJsonConfigFileContent({ ...config, files: [], include: [] }, ts.sys, root)

/** Returns the hover text of the name after the `^` in a program. */
function hover(marked: string): { text: string; docs: string } {
  const file = `${root}test/client/fields/hovered.ts`
  const position = marked.indexOf('^')
  const source = marked.replace('^', '')
  const service = ts.createLanguageService(
    {
      getCompilationSettings: () => options,
      getScriptFileNames: () => [file],
      getScriptVersion: () => '1',
      getScriptSnapshot: (name) => {
        const text = name === file ? source : ts.sys.readFile(name)
        return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text)
      },
      getCurrentDirectory: () => root,
      getDefaultLibFileName: ts.getDefaultLibFilePath,
      fileExists: (name) => name === file || ts.sys.fileExists(name),
      readFile: ts.sys.readFile,
      directoryExists: ts.sys.directoryExists,
      getDirectories: ts.sys.getDirectories,
    },
    registry,
  )
  expect(service.getSemanticDiagnostics(file)).toEqual([])
  const info = service.getQuickInfoAtPosition(file, position)
  const result = {
    text: ts.displayPartsToString(info?.displayParts),
    docs: ts.displayPartsToString(info?.documentation),
  }
  service.dispose()
  return result
}

const registry = ts.createDocumentRegistry()

it.each(Object.keys(schemas))('the type %s is shown in one line', (name) => {
  const { text } = hover(`import type { ${name} } from 'shortlink-sdk/schemas'\nexport type Row = ^${name}\n`)
  expect(text).toMatch(new RegExp(`^\\(alias\\) interface ${name}\\nimport ${name}$`))
})

it('the type of a call is shown by its name', () => {
  const { text } = hover(`import { ShortLinkClient } from 'shortlink-sdk'
export const ^call = new ShortLinkClient().campaigns.create({ name: 'Spring' })
`)
  expect(text).toBe('const call: ApiPromise<CreatedCampaign>')
})

it.each([
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
    'the result of a creation',
    `console.log((await client.campaigns.create({})).^rotator)`,
    '(property) rotator?: string | false | undefined',
    'The URL of the rotator, built from the slug; `false` if the campaign has no public one.',
  ],
])('a hover shows the type and the docs: %s', (_, use, text, docs) => {
  const program = `import { ShortLinkClient } from 'shortlink-sdk'\nconst client = new ShortLinkClient()\n${use}\n`
  expect(hover(program)).toEqual({ text, docs })
})
