/**
 * The package depends on any zod 4, so its sources and schemas must work with the oldest and the newest. They must also
 * work with zod 3.25, which has zod 4 under `zod/v4`, because some apps pin it with `overrides`.
 */
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import * as schemas from 'shortlink-sdk/schemas'
import ts from 'typescript'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import newest from 'zod/package.json' with { type: 'json' }
import pinned from 'zod3.25/package.json' with { type: 'json' }
import oldest from 'zod4.0/package.json' with { type: 'json' }
import { entries } from '../../../scripts/entries.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

const exported = Object.entries(schemas)

const sources = Object.fromEntries(
  Object.entries(entries).map(([name, file]) => [`shortlink-sdk/${name}`.replace('/index', ''), root + file]),
)

/** Composes every exported schema, in types and at run time. */
const compositions = `
import { deepStrictEqual, equal } from 'node:assert/strict'
import * as schemas from 'shortlink-sdk/schemas'
import * as z from 'zod/v4/mini'
import { findSample } from '${root}test/client/platform/find-sample.ts'

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : never
const same = <A, B>(_: Same<A, B>): void => {}
const keysOf = (row: object | undefined): string[] => Object.keys(row ?? {}).sort()

${exported
  .map(([name, { shape }]) => {
    const [key, other = 'other'] = Object.keys(shape)
    return `
export async function check${name}() {
  type Row = schemas.${name}
  const schema = schemas.${name}
  const sample = { ...findSample(schema), tomorrow: 1 }
  const row: Row = schema.parse(sample)
  // @ts-expect-error: unknown keys are kept, but they are not in the type
  equal(row.tomorrow, 1)
  deepStrictEqual(row, sample)

  const list = z.array(schema)
  same<z.infer<typeof list>, Row[]>(true)
  deepStrictEqual(list.parse([sample]), [row])
  equal(list.safeParse([sample, 0]).error?.issues[0]?.message, 'expected an object, received a number')

  const extended = z.extend(schema, { added: z.boolean() })
  same<z.infer<typeof extended>['${key}'], Row['${key}']>(true)
  same<z.infer<typeof extended>['added'], boolean>(true)
  deepStrictEqual(extended.parse({ ...sample, added: true }), { ...row, added: true })
  equal(extended.safeParse(sample).success, false)

  const picked = z.pick(schema, { '${key}': true })
  same<z.infer<typeof picked>, Pick<Row, '${key}'>>(true)
  deepStrictEqual(picked.parse({ '${key}': row['${key}'] }), { '${key}': row['${key}'] })
  equal('${other}' in picked.shape, false)

  const json = z.toJSONSchema(schema, { io: 'output' })
  deepStrictEqual(keysOf(json.properties), keysOf(schema.shape))
}`
  })
  .join('\n')}

export const optional: [schemas.QrDetails, schemas.LinkDetails, schemas.CreatedCampaign] = [
  { details: findSample(schemas.QrCode) as schemas.QrCode, data: undefined },
  findSample(schemas.LinkDetails) as schemas.LinkDetails,
  { id: 1, name: undefined },
]
await Promise.all([${exported.map(([name]) => `check${name}()`).join(', ')}])
`

/** Reads the responses to every call, from the reference and the field notes. */
const reading = `
import { deepStrictEqual } from 'node:assert/strict'
import { ShortLinkClient } from 'shortlink-sdk'
import { rows } from '${root}test/calls.ts'

for (const [name, { call, fieldNote, ...reference }] of rows) {
  for (const { wire, read } of fieldNote ? [reference, fieldNote] : [reference]) {
    const fetch = async () => Response.json(wire)
    const options = { baseUrl: 'https://sho.rt', openerUrl: 'https://opener.example', apiKey: 'key', fetch, logLevel: 'off' } as const
    deepStrictEqual(await call(new ShortLinkClient(options)), read, name)
  }
}
`

const copies = ['zod', 'zod4.0', 'zod3.25']

let folder: string

beforeAll(async () => {
  // Inside the repository, so that the packages are found.
  folder = await mkdtemp(`${root}node_modules/.zod-versions-`)
  await writeFile(join(folder, 'compositions.ts'), compositions)
  await writeFile(join(folder, 'reading.ts'), reading)
})

afterAll(() => rm(folder, { recursive: true }))

const { config } = ts.readConfigFile(`${root}tsconfig.json`, ts.sys.readFile)
const { options } = ts.parseJsonConfigFileContent({ ...config, files: [], include: [] }, ts.sys, root)

it('are tried from the first one on', () => {
  expect(oldest.version).toBe('4.0.0')
  expect(newest.version).not.toBe('4.0.0')
  expect(pinned.version).toMatch(/^3\.25\./)
})

describe.each([
  [pinned.version, 'zod3.25'],
  [oldest.version, 'zod4.0'],
  [newest.version, 'zod'],
])('zod %s', (_, zod) => {
  it('compiles with the sources, and with the composition of every exported schema', () => {
    const paths = { ...options.paths, zod: [`./node_modules/${zod}`], 'zod/*': [`./node_modules/${zod}/*`] }
    const files = ['compositions.ts', 'reading.ts'].map((file) => join(folder, file))
    const program = ts.createProgram([...files, `${root}src/index.ts`], { ...options, paths })
    const used = program.getSourceFiles().map(({ fileName }) => fileName)
    expect(used.some((file) => file.includes(`/node_modules/${zod}/v4/core/`))).toBe(true)
    const others = copies.filter((name) => name !== zod).map((name) => `/node_modules/${name}/`)
    expect(used.filter((file) => others.some((other) => file.includes(other)))).toEqual([])
    const diagnostics = ts.getPreEmitDiagnostics(program)
    expect(diagnostics.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))).toEqual([])
  })

  it.each(['compositions', 'reading'])('runs the %s', async (name) => {
    const outfile = join(folder, `${name}-${zod}.mjs`)
    await build({
      entryPoints: [join(folder, `${name}.ts`)],
      outfile,
      bundle: true,
      format: 'esm',
      platform: 'node',
      alias: { ...sources, zod },
      logLevel: 'error',
    })
    const { stderr } = await promisify(execFile)(process.execPath, [outfile])
    expect(stderr).toBe('')
  })
})
