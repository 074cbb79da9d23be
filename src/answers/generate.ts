/** Writes `readers.ts` from `schemas.ts`. Run by `npm run generate`; nothing of it is published. */
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { ZodMiniType } from 'zod/mini'
import * as schemas from './schemas.ts'

const { plans, ...answers } = schemas
const readerOf = new Map<ZodMiniType, string>(Object.entries(answers).map(([name, schema]) => [schema, `read${name}`]))
const words = new Set<string>()

const quoted = (key: string) => (/^[A-Za-z_$][\w$]*$/.test(key) ? key : `'${key}'`)
const member = (key: string) => (quoted(key) === key ? `row.${key}` : `row['${key}']`)

function use(word: string): string {
  words.add(word)
  return word
}

/** The expression that reads the member `key` of `row`. */
function expression(schema: ZodMiniType, key: string): string {
  const plan = plans.get(schema)
  const value = member(key)
  switch (plan?.kind) {
    case 'word':
      return `${use(plan.word)}(${value}, reading, '${key}')`
    case 'list':
      return `${use('list')}(${value}, reading, '${key}', ${reader(plan.row)})`
    case 'object':
      return `${use('inside')}(reading, '${key}', () => ${reader(schema)}(${value}, reading))`
    case 'optional':
      return `${use('orUndefined')}(${value}) === undefined ? undefined : ${expression(plan.inner, key)}`
    default:
      throw new Error(`No plan says how to read the key “${key}”`)
  }
}

function reader(schema: ZodMiniType): string {
  const name = readerOf.get(schema)
  if (name === undefined) throw new Error('A schema that is part of another one must be exported from schemas.ts')
  return name
}

function definition([name, schema]: [string, ZodMiniType]): string {
  const plan = plans.get(schema)
  if (plan?.kind !== 'object') throw new Error(`${name} is not an object`)
  const names = plan.names ? `, ${JSON.stringify(plan.names)}` : ''
  const fields = Object.entries(plan.shape).map(([key, field]) => `    ${quoted(key)}: ${expression(field, key)},\n`)
  return `export const read${name} = (value: unknown, reading: Reading) => {
  const row = ${use('object')}(value, reading${names})
  if (!row) return value as never
  return {
    ...row,
${fields.join('')}  }
}
`
}

/** The text of `readers.ts`. */
export function generateReaders(): string {
  const byName = Object.entries(answers).sort(([a], [b]) => (a < b ? -1 : 1))
  const definitions = byName.map(definition).join('\n')
  return `// Written by \`npm run generate\` from schemas.ts: change that file, not this one.
import { ${[...words].sort().join(', ')}, type Reading } from '../wire.ts'

${definitions}`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(new URL('readers.ts', import.meta.url), generateReaders())
}
