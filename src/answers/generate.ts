/** Writes `readers.ts` from `schemas.ts`. Run by `npm run generate`; nothing of it is published. */
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { ZodMiniType } from 'zod/mini'
import * as schemas from './schemas.ts'

const { plans, ...answers } = schemas
const names = new Map<ZodMiniType, string>(
  Object.entries(answers)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, schema]) => [schema, name]),
)

/** A key as the formatter leaves it. */
const quoted = (key: string) => (/^[a-z_$][\w$]*$/i.test(key) ? key : `'${key}'`)

/** The text of `readers.ts`. */
export function generateReaders(): string {
  const used = new Set<string>()
  const definitions = new Map<string, string>()

  const use = (word: string) => {
    used.add(word)
    return word
  }

  /** The word that reads a schema inside another one. */
  const wordOf = (schema: ZodMiniType): string => {
    const plan = plans.get(schema)
    switch (plan?.kind) {
      case 'word':
        return use(plan.word)
      case 'list':
        return `${use('list')}(${readerOf(plan.row)})`
      case 'object':
        return `${use('part')}(${readerOf(schema)})`
      case 'optional':
        return `${use('optional')}(${wordOf(plan.inner)})`
      default:
        throw new Error('A schema inside another one was not made with the helpers of schemas.ts')
    }
  }

  /** The name of the reader of an exported schema, which stands before those that use it. */
  const readerOf = (schema: ZodMiniType): string => {
    const name = names.get(schema)
    const plan = plans.get(schema)
    if (name === undefined || plan?.kind !== 'object') {
      throw new Error('An object inside another schema must be exported from schemas.ts')
    }
    if (!definitions.has(name)) {
      const words = Object.entries(plan.shape).map(([key, field]) => `${quoted(key)}: ${wordOf(field)}`)
      const others = Object.entries(plan.names ?? {}).map(
        ([key, names]) => `, { ${quoted(key)}: ['${names.join("', '")}'] }`,
      )
      definitions.set(
        name,
        `export const read${name} = /* @__PURE__ */ ${use('reader')}({ ${words.join(', ')} }${others.join()})`,
      )
    }
    return `read${name}`
  }

  for (const schema of names.keys()) readerOf(schema)
  return `// Written by \`npm run generate\` from schemas.ts: change that file, not this one.
import { ${[...used].sort().join(', ')} } from '../schema/fields.ts'

${[...definitions.values()].join('\n\n')}
`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(new URL('readers.ts', import.meta.url), generateReaders())
}
