/**
 * The components of the OpenAPI document: responses from the zod schemas of the client, requests from the checks of
 * parameters, and descriptions from the docstrings of the interfaces.
 */
import { readdirSync } from 'node:fs'
import type { DeclarationReflection } from 'typedoc'
import * as z from 'zod/v4/mini'
import type { Check, Checks } from '../../src/client/checks/checks.ts'
import type { OtherNames } from '../../src/client/platform/prepare.ts'
import { countMap } from '../../src/client/platform/values.ts'
import { Link } from '../../src/client/resources/links.ts'
import { OpenerLink } from '../../src/client/resources/opener.ts'
import { getCheckSchema } from './check-schemas.ts'
import { model } from './model.ts'
import { getDocs, getExports, getLiterals, getMembers } from './reflections.ts'

/** A JSON Schema for OpenAPI 3.1. */
export type Schema = { [keyword: string]: unknown }

export const reference = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` })

const folder = new URL('../../src/client/resources/', import.meta.url)
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))
const modules: [file: string, module: object][] = await Promise.all(
  files.map(async (file) => [file, await import(new URL(file, folder).href)] as [string, object]),
)

/** Every zod schema of a response, with the interface of the same name. */
const responses = modules.flatMap(([file, module]) =>
  Object.entries(module).flatMap(([name, schema]) => {
    if (!(schema instanceof z.ZodMiniObject)) return []
    return [{ name, schema, type: getExports(`src/client/resources/${file}`).get(name)! }]
  }),
)

/** Returns the name of the interface of a schema. */
export function getSchemaName(schema: z.core.$ZodType): string {
  const found = responses.find((response) => response.schema === schema)
  if (!found) throw new Error('a call has a schema that no file of resources/ exports')
  return found.name
}

/** Returns the type that checks a field after the conversion of its value. */
const getFieldCheck = (field: z.core.$ZodType | undefined) => (field as z.ZodMiniPipe).def.out

/** Names that some servers use instead of the documented names, by schema. */
const otherNamesBySchema = new Map<z.core.$ZodType, OtherNames>()

function addOtherNames(schema: z.core.$ZodType, otherNames: OtherNames): void {
  otherNamesBySchema.set(schema, { ...otherNamesBySchema.get(schema), ...otherNames })
  for (const [name, others] of Object.entries(otherNames)) {
    const { [name]: part } = (schema as z.ZodMiniObject).shape
    if (others && !Array.isArray(others)) addOtherNames(getFieldCheck(part), others as OtherNames)
  }
}
for (const { request } of model.flatMap(({ calls }) => calls))
  if (request) addOtherNames(request.schema, request.otherNames)

/** The lists in fields, whose items are checked by functions. */
const lists = new Map<z.core.$ZodType, Schema>([
  [getFieldCheck(Link.shape.channel), { anyOf: [{ type: 'array', items: { type: 'integer' } }, { type: 'null' }] }],
  [getFieldCheck(OpenerLink.shape.devicetarget), { type: 'array', items: reference('DeviceTarget') }],
])

/** Returns the schemas of responses by the names of their interfaces. */
export function createResponseSchemas(): Record<string, Schema> {
  const registry = z.registry<{ id: string }>()
  for (const { schema, name } of responses) registry.add(schema, { id: name })
  const { schemas } = z.toJSONSchema(registry, {
    io: 'output',
    uri: (id) => reference(id).$ref as string,
    override({ zodSchema, jsonSchema }) {
      const schema: Schema = jsonSchema
      const { def } = zodSchema._zod
      // The checks of `wholeNumber` and `stringOrFalse` are functions, which no JSON Schema shows.
      if (def.type === 'number') schema.type = 'integer'
      Object.assign(schema, lists.get(zodSchema))
      if (def.type === 'unknown' && def.checks?.length) schema.anyOf = [{ type: 'string' }, { const: false }]
      if (def.type !== 'object') return
      const { shape } = def as z.core.$ZodObjectDef
      if (Object.keys(shape).length === 0) {
        delete schema.properties
        // The reference documents the strings that servers send; the schema describes the converted numbers.
        if (zodSchema === getFieldCheck(countMap)) schema.additionalProperties = { type: 'string', pattern: '^\\d+$' }
        return
      }
      schema.required = Object.keys(shape).filter((name) => !z.safeParse(shape[name]!, undefined).success)
      // Unknown keys are allowed, which is the default of JSON Schema.
      delete schema.additionalProperties
    },
  })
  return Object.fromEntries(
    responses.map(({ name, schema, type }) => {
      const { $schema: _, $id: __, ...json } = schemas[name] as Schema
      return [name, withOtherNames(describe(json, type), otherNamesBySchema.get(schema) ?? {})]
    }),
  )
}

type Properties = Record<string, Schema>

/** Adds the docstrings of the interface to a schema. */
function describe({ properties, ...schema }: Schema, type: DeclarationReflection): Schema {
  const members = new Map(getMembers(type).map((member) => [member.name, member]))
  const described = Object.entries(properties as Properties).map(([name, field]) => {
    const member = members.get(name)!
    return [name, { ...field, ...getDescription(member), ...(field.type === 'string' && getExamples(member)) }]
  })
  return { type: 'object', ...getDescription(type), ...schema, properties: Object.fromEntries(described) }
}

const getDescription = (reflection: DeclarationReflection): { description?: string } => {
  const { text } = getDocs(reflection)
  return text ? { description: text } : {}
}

/** Returns the known values of a field that may be any string. */
function getExamples({ type }: DeclarationReflection): { examples?: unknown[] } {
  const known = getLiterals(type).filter((value) => typeof value === 'string')
  return known.length > 0 ? { examples: known } : {}
}

/** Adds the other names of fields. A required field has at least one of its names. */
function withOtherNames(schema: Schema, otherNames: OtherNames): Schema {
  const properties = { ...(schema.properties as Properties) }
  const required = schema.required as string[]
  const either: Schema[] = []
  for (const [name, others] of Object.entries(otherNames)) {
    if (!Array.isArray(others)) continue
    for (const other of others)
      properties[other] = { ...properties[name], description: `The same as \`${name}\`, on some servers.` }
    if (required.includes(name)) either.push(requireAnyKey([name, ...others]))
  }
  const rest = required.filter((name) => !Array.isArray(otherNames[name]))
  const [first, ...more] = either
  return { ...schema, properties, required: rest, ...first, ...(more.length > 0 && { allOf: more }) }
}

/** Requires one of these keys. `anyOf` would too, but type generators turn it into a union that accepts anything. */
export const requireAnyKey = (keys: readonly string[]): Schema => ({
  not: { properties: Object.fromEntries(keys.map((key) => [key, false])) },
})

/** Returns the parameters of an interface, with its docstrings and the schemas of the checks. */
export function getParameters(type: DeclarationReflection, checks: Checks) {
  return getMembers(type).map((member) => {
    const check = checks[member.name]!
    const { enum: values, type: kind } = getCheckSchema(check)
    const isNullable = getLiterals(member.type).includes(null)
    const schema: Schema = {
      ...getParameterSchema(check),
      ...(isNullable && { type: [kind, 'null'] }),
      ...getDescription(member),
      ...(!values && getExamples(member)),
    }
    return { name: member.name, required: check.required === true, schema }
  })
}

/** Returns the schema of the values that a check accepts, and `''`, which clears an optional parameter. */
export function getParameterSchema(check: Check): Schema {
  const schema = getCheckSchema(check)
  const { pattern, type } = schema
  return type === 'string' && pattern && !check.required ? { ...schema, pattern: `^$|${pattern}` } : schema
}

/** Returns the schema of parameters that are sent as JSON. */
export function createBodySchema(type: DeclarationReflection, checks: Checks): Schema {
  const parameters = getParameters(type, checks)
  const required = parameters.filter((parameter) => parameter.required).map(({ name }) => name)
  return {
    type: 'object',
    ...getDescription(type),
    ...(required.length > 0 && { required }),
    properties: Object.fromEntries(parameters.map(({ name, schema }) => [name, schema])),
  }
}
