/** The JSON schemas of what the checks of parameters accept, for the OpenAPI document. The client itself needs none. */
import * as checks from '../../src/client/checks/checks.ts'
import type { Schema } from './schemas.ts'

const text: Schema = { type: 'string', minLength: 1 }
const id: Schema = { type: ['integer', 'string'], minimum: 1, pattern: checks.digits.source }

/** The schemas of checks, by the words for their valid values. */
const byWords: Readonly<Record<string, Schema>> = {
  [checks.string.expected]: { type: 'string' },
  [checks.boolean.expected]: { type: 'boolean' },
  [checks.nonEmptyString.expected]: text,
  [checks.filename.expected]: { type: 'string' },
  [checks.positiveInteger.expected]: { type: 'integer', minimum: 1 },
  [checks.id.expected]: id,
  [checks.count.expected]: { type: 'integer', minimum: 0 },
  'a string that is not empty, a list or an object': {
    anyOf: [text, { type: 'array', items: {} }, { type: 'object', additionalProperties: {} }],
  },
  'direct, frame, splash, or an id': { type: ['string', 'integer'], minimum: 1 },
  'a list of ids': { type: 'array', items: id },
  '{ auto, apple, google }, the last two as strings': {
    type: 'object',
    properties: { auto: { type: ['boolean', 'number'] }, apple: { type: 'string' }, google: { type: 'string' } },
  },
}

/** The values that a check accepts. @throws if it has words of its own that are not listed here */
export function schemaOfCheck({ expected, pattern, secret }: checks.Check): Schema {
  if (secret) return { type: 'string', format: 'password' }
  if (pattern) return { type: 'string', pattern: pattern.source }
  if (expected.startsWith('one of ')) return { type: 'string', enum: expected.slice('one of '.length).split(', ') }
  const [, name, other] = /^a list of \{ (\w+), (\w+) \}/.exec(expected) ?? []
  if (name && other) {
    const properties = { [name]: text, [other]: schemaOfCheck(other === 'value' ? checks.string : checks.httpUrl) }
    return { type: 'array', items: { type: 'object', required: [name, other], properties } }
  }
  const schema = byWords[expected]
  if (!schema) throw new Error(`the check for ${expected} has no JSON schema`)
  return schema
}
