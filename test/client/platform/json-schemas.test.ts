import { Ajv2020 } from 'ajv/dist/2020.js'
import * as exported from 'shortlink-sdk/schemas'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { findSample } from './find-sample.ts'

const schemas = { ...exported }
type SchemaName = keyof typeof schemas

const ajv = new Ajv2020({ strict: true, allowUnionTypes: true })
const jsonSchemaOf = (name: SchemaName) => z.toJSONSchema(schemas[name], { io: 'output' })

/** Yields copies of a value, each with one field replaced, at every depth, and the names that lead to the field. */
function* withOneWrong(value: unknown, wrong: unknown, path: string[] = []): Generator<[unknown, string[]]> {
  yield [wrong, path]
  if (Array.isArray(value)) for (const [changed, at] of withOneWrong(value[0], wrong, path)) yield [[changed], at]
  else if (typeof value === 'object' && value !== null) {
    for (const [name, field] of Object.entries(value))
      for (const [changed, at] of withOneWrong(field, wrong, [...path, name])) yield [{ ...value, [name]: changed }, at]
  }
}

/** A text or `false`, and two lists. A union and an array of zod would add 0.9 kB to every bundle. */
const untyped = ['rotator', 'channel', 'devicetarget']

describe.each(Object.keys(schemas) as SchemaName[])('the JSON schema of %s', (name) => {
  it('accepts the result of a call, and unknown fields', () => {
    const validate = ajv.compile(jsonSchemaOf(name))
    const sample = findSample(schemas[name])
    for (const value of [sample, { ...sample, tomorrow: 1 }]) {
      expect(validate(value), JSON.stringify(validate.errors)).toBe(true)
    }
  })

  it('rejects a field of another type, and a missing field unless it is optional', () => {
    const validate = ajv.compile(jsonSchemaOf(name))
    const sample = findSample(schemas[name])
    const wrong = Symbol('a value of no type in JSON')
    for (const [changed, path] of withOneWrong(sample, wrong)) {
      if (path.some((name) => untyped.includes(name))) continue
      expect(validate(changed), JSON.stringify(changed)).toBe(false)
    }
    const optional: Partial<Record<SchemaName, string[]>> = {
      QrDetails: ['data'],
      LinkDetails: ['id'],
      CreatedCampaign: ['name', 'public', 'rotator', 'list'],
      CreatedChannel: ['name', 'description', 'color', 'starred'],
    }
    for (const field of Object.keys(sample)) {
      if (optional[name]?.includes(field)) continue
      const { [field]: _, ...rest } = sample as Record<string, unknown>
      expect(validate(rest), field).toBe(false)
    }
  })
})
