import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { generateReaders } from '../src/answers/generate.ts'
import * as readers from '../src/answers/readers.ts'
import * as answers from '../src/answers/schemas.ts'
import type { Reading } from '../src/schema/fields.ts'
import { fieldNotes } from './fixtures/field-notes.ts'
import { reference } from './fixtures/reference.ts'

const { plans: _, ...schemas } = answers

it('the readers are what the generator writes from the schemas', () => {
  const file = fileURLToPath(new URL('../src/answers/readers.ts', import.meta.url))
  const biome = createRequire(import.meta.url).resolve('@biomejs/biome/bin/biome')
  const formatted = execFileSync(process.execPath, [biome, 'check', '--write', `--stdin-file-path=${file}`], {
    input: generateReaders(),
    encoding: 'utf8',
  })
  expect(readFileSync(file, 'utf8')).toBe(formatted)
})

/** Values as servers spell them, and as none should. */
const scalar = fc.oneof(
  fc.constantFrom<unknown>(null, undefined, '', true, false, 0, 1, '0', '1', [], {}, Number.NaN, 1.5, 2 ** 53),
  fc.integer(),
  fc.integer().map(String),
  fc.string({ maxLength: 6 }),
)
const label = fc.oneof(fc.constantFrom('0', '2', 'Canada', 'toString'), fc.string({ maxLength: 4 }))
const anything: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 5, arbitrary: scalar },
  { weight: 1, arbitrary: fc.array(scalar, { maxLength: 3 }) },
  { weight: 1, arbitrary: fc.dictionary(label, scalar, { maxKeys: 3, noNullPrototype: true }) },
)

const named = ['id', 'name', 'domain', 'campaign', 'date', 'data', '0', '1', 'message', 'more']

/** An object with some of a schema's keys, each holding something that fits or anything. */
function rowOf(keys: readonly string[], nested: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<unknown> {
  const fields = Object.fromEntries(
    [...new Set([...keys, ...named])].map((key) => [key, fc.oneof(nested[key] ?? scalar, anything)]),
  )
  return fc.oneof({ weight: 20, arbitrary: fc.record(fields, { requiredKeys: [], noNullPrototype: true }) }, anything)
}

const social = rowOf(['facebook', 'twitter', 'instagram'], {})
const counts = fc.oneof(fc.dictionary(label, scalar, { maxKeys: 3, noNullPrototype: true }), anything)
const statistics = rowOf(
  ['clicks', 'uniqueClicks', 'topCountries', 'topReferrers', 'topBrowsers', 'topOs', 'socialCount'],
  {
    topCountries: counts,
    topReferrers: counts,
    topBrowsers: counts,
    topOs: counts,
    socialCount: social,
  },
)
const target = rowOf(['device', 'link'], {})
const targets = fc.oneof(fc.array(target, { maxLength: 3 }), fc.record({ '0': target, '3': target }), anything)
const nested = {
  details: rowOf(['id', 'link', 'scans', 'name', 'date'], {}),
  data: statistics,
  devicetarget: targets,
  topCountries: counts,
  socialCount: social,
}

/** The keys that a reader reads, from its own text. */
const keysOf = (read: (...call: never[]) => unknown) =>
  [...String(read).matchAll(/row(?:\.(\w+)|\[["']([\w-]+)["']\])/g)].map(([, a, b]) => a ?? b!)

interface Outcome {
  readonly value: unknown
  readonly issues: { path: PropertyKey[]; message: string }[]
}

function bySchema(schema: (typeof schemas)[keyof typeof schemas], value: unknown): Outcome {
  const result = schema.safeParse(value)
  const issues = result.success ? [] : result.error.issues.map(({ path, message }) => ({ path, message }))
  return { value: result.data, issues: sorted(issues) }
}

function byReader(read: (value: unknown, reading: Reading) => unknown, value: unknown): Outcome {
  const reading: Reading = { path: [], issues: [] }
  const result = read(value, reading)
  expect(reading.path, 'the reading comes back to where it began').toEqual([])
  const issues = reading.issues.map(({ path, message }) => ({ path: [...path], message }))
  return { value: issues.length ? undefined : result, issues: sorted(issues) }
}

const sorted = (issues: Outcome['issues']) => issues.sort((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)))

describe.each(Object.keys(schemas) as (keyof typeof schemas)[])('%s', (name) => {
  const schema = schemas[name]
  // biome-ignore lint/performance/noDynamicNamespaceImportAccess: every reader is tested, by its name.
  const read = readers[`read${name}`] as (value: unknown, reading: Reading) => unknown

  it('is read alike by its reader and its schema, whatever comes', () => {
    fc.assert(
      fc.property(rowOf(keysOf(read), nested), (value) => {
        expect(byReader(read, value)).toEqual(bySchema(schema, value))
      }),
      { numRuns: 400, seed: 31 },
    )
  })

  it('is read alike from the documented and from the seen answers', () => {
    for (const { wire } of [...Object.values(reference), ...Object.values(fieldNotes)]) {
      const body = wire as { data?: object }
      for (const value of [body, body.data, ...Object.values(body.data ?? {}).flat(1)]) {
        expect(byReader(read, value)).toEqual(bySchema(schema, value))
      }
    }
  })
})
