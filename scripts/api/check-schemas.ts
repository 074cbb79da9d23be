/** JSON schemas of the values that checks of parameters accept, for the OpenAPI document. The client needs none. */
import * as checks from '../../src/client/checks/checks.ts'
import { linkCreate } from '../../src/client/resources/links.ts'
import { qrCreate } from '../../src/client/resources/qr.ts'
import type { Schema } from './schemas.ts'

const text: Schema = { type: 'string', minLength: 1 }
const id: Schema = { type: ['integer', 'string'], minimum: 1, pattern: checks.digits.source }

const listed: [checks.Check, Schema][] = [
  [checks.string, { type: 'string' }],
  [checks.boolean, { type: 'boolean' }],
  [checks.nonEmptyString, text],
  [checks.filename, { type: 'string' }],
  [checks.positiveInteger, { type: 'integer', minimum: 1 }],
  [checks.id, id],
  [checks.count, { type: 'integer', minimum: 0 }],
  [linkCreate.type, { type: ['string', 'integer'], minimum: 1 }],
  [linkCreate.pixels, { type: 'array', items: id }],
  [
    linkCreate.deeplink,
    {
      type: 'object',
      properties: { auto: { type: ['boolean', 'number'] }, apple: { type: 'string' }, google: { type: 'string' } },
    },
  ],
  [qrCreate.data, { anyOf: [text, { type: 'array', items: {} }, { type: 'object', additionalProperties: {} }] }],
]

/** Keyed by the function of the check, because a copy of a check, such as a required one, keeps its function. */
const schemas = new Map(listed.map(([{ isValid }, schema]) => [isValid, schema]))

/**
 * Returns the schema of the values that a check accepts.
 *
 * @throws if the check lists no values, has no pattern and is not in the list above
 */
export function getCheckSchema({ expected, isValid, items, pattern, secret, values }: checks.Check): Schema {
  if (secret) return { type: 'string', format: 'password' }
  if (pattern) return { type: 'string', pattern: pattern.source }
  if (values) return { type: 'string', enum: values }
  if (items) {
    const fields = Object.entries(items).map(([name, check]) => [name, getCheckSchema(check)])
    const properties = Object.fromEntries(fields)
    return { type: 'array', items: { type: 'object', required: Object.keys(items), properties } }
  }
  const schema = schemas.get(isValid)
  if (!schema) throw new Error(`the check for ${expected} has no JSON schema`)
  return schema
}
