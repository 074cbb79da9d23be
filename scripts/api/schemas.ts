/**
 * The components of the OpenAPI document: what is answered from the zod schemas that the client reads with, what is sent
 * from the types of the parameters and their checks, and what both mean from the docstrings of the interfaces.
 */
import ts from 'typescript'
import * as z from 'zod/mini'
import * as account from '../../src/resources/account.ts'
import * as campaigns from '../../src/resources/campaigns.ts'
import * as channels from '../../src/resources/channels.ts'
import * as domains from '../../src/resources/domains.ts'
import * as files from '../../src/resources/files.ts'
import * as links from '../../src/resources/links/link.ts'
import * as opener from '../../src/resources/opener.ts'
import * as overlays from '../../src/resources/overlays.ts'
import * as pixels from '../../src/resources/pixels.ts'
import * as qr from '../../src/resources/qr.ts'
import * as resource from '../../src/resources/resource.ts'
import * as splash from '../../src/resources/splash.ts'
import * as params from '../../src/schema/checks.ts'
import * as fields from '../../src/schema/fields.ts'
import { checker, docsOf, exportsOf, isOptional } from './program.ts'

/** A JSON Schema, as OpenAPI 3.1 takes it. */
export type Schema = { [keyword: string]: unknown }

export const reference = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` })

const modules: Record<string, object> = {
  'resources/links/link.ts': links,
  'resources/account.ts': account,
  'resources/campaigns.ts': campaigns,
  'resources/channels.ts': channels,
  'resources/domains.ts': domains,
  'resources/files.ts': files,
  'resources/opener.ts': opener,
  'resources/overlays.ts': overlays,
  'resources/pixels.ts': pixels,
  'resources/qr.ts': qr,
  'resources/resource.ts': resource,
  'resources/splash.ts': splash,
}

type AnswerSchema = z.core.$ZodType & { readonly otherNames: Readonly<Record<string, readonly string[]>> }

/** Every answer: the zod schema, and the interface that it is held to. */
const answers = Object.entries(modules).flatMap(([file, module]) => {
  const symbols = exportsOf(`src/${file}`)
  return Object.entries(module).flatMap(([name, schema]: [string, AnswerSchema]) => {
    if (!('otherNames' in schema)) return []
    const [type] = checker.getTypeArguments(schemaType(checker.getTypeOfSymbol(symbols.get(name)!)))
    return [{ schema, type: type! }]
  })
})

/** The `ZodMiniType<T>` among what a schema's type is made of. */
function schemaType(type: ts.Type): ts.TypeReference {
  const parts = type.isIntersection() ? type.types : [type]
  return parts.find(({ symbol }) => symbol?.name === 'ZodMiniType') as ts.TypeReference
}

export const answerNames: ReadonlySet<string> = new Set(answers.map(({ type }) => type.symbol.name))

/** How the reference spells each kind of field. */
const spellings = new Map<unknown, Schema>([
  [fields.integer, { type: 'integer' }],
  [fields.countOrZero, { type: 'integer' }],
  [fields.countOrNull, { type: ['integer', 'null'] }],
  [fields.idOrNull, { type: ['integer', 'null'] }],
  [fields.idsOrNull, { type: ['array', 'null'], items: { type: 'integer' } }],
  [fields.text, { type: 'string' }],
  [fields.textOrEmpty, { type: 'string' }],
  [fields.textOrNull, { type: ['string', 'null'] }],
  [fields.textOrFalse, { anyOf: [{ type: 'string' }, { const: false }] }],
  [fields.flag, { type: 'boolean' }],
  [fields.texts, { type: 'object', additionalProperties: { type: 'string' } }],
  // The reference gives the counts of a map as strings.
  [fields.counts, { type: 'object', additionalProperties: { type: 'string', pattern: '^\\d+$' } }],
])

/** The answers by the names of their interfaces. */
export function answerSchemas(): Record<string, Schema> {
  const registry = z.registry<{ id: string }>()
  for (const { schema, type } of answers) registry.add(schema, { id: type.symbol.name })
  const { schemas } = z.toJSONSchema(registry, {
    io: 'output',
    unrepresentable: 'any',
    uri: (id) => reference(id).$ref as string,
    override({ zodSchema, jsonSchema }) {
      const schema: Schema = jsonSchema
      const { def } = zodSchema._zod
      const row = (zodSchema as { row?: z.core.$ZodType }).row
      const spelling = row ? { type: 'array', items: reference(registry.get(row)!.id) } : spellings.get(zodSchema)
      if (spelling) {
        for (const keyword of Object.keys(schema)) delete schema[keyword]
        Object.assign(schema, spelling)
      } else if (def.type === 'transform') throw new Error('a field schema has no spelling in scripts/api/schemas.ts')
      if (def.type !== 'object') return
      const { shape } = def as z.core.$ZodObjectDef
      schema.required = Object.keys(shape).filter((name) => !z.safeParse(shape[name]!, undefined).success)
      // Tomorrow's keys are welcome, which is what JSON Schema says where nothing is said.
      delete schema.additionalProperties
    },
  })
  return Object.fromEntries(
    answers.map(({ schema, type }) => {
      const { $schema: _, $id: __, ...json } = schemas[type.symbol.name] as Schema
      return [type.symbol.name, withOtherNames(describe(json, type), schema.otherNames)]
    }),
  )
}

type Properties = Record<string, Schema>

/** What the interface says of the fields. */
function describe({ properties, ...schema }: Schema, type: ts.Type): Schema {
  const described = Object.entries(properties as Properties).map(([name, field]) => {
    const member = type.getProperty(name)!
    const known = field.type === 'string' ? literalsOf(checker.getTypeOfSymbol(member)) : []
    return [name, { ...field, ...descriptionOf(member), ...(known.length > 0 && { examples: known }) }]
  })
  return { type: 'object', ...descriptionOf(type.symbol), ...schema, properties: Object.fromEntries(described) }
}

const descriptionOf = (symbol: ts.Symbol): { description?: string } => {
  const { text } = docsOf(symbol)
  return text ? { description: text } : {}
}

/** A field that some answers have under another name: either is there. */
function withOtherNames(schema: Schema, otherNames: AnswerSchema['otherNames']): Schema {
  const properties = { ...(schema.properties as Properties) }
  const required = schema.required as string[]
  const either: Schema[] = []
  for (const [name, others] of Object.entries(otherNames)) {
    for (const other of others)
      properties[other] = { ...properties[name], description: `\`${name}\`, under another name.` }
    if (required.includes(name)) either.push(anyKeyOf([name, ...others]))
  }
  const rest = required.filter((name) => !(name in otherNames))
  const [first, ...more] = either
  return { ...schema, properties, required: rest, ...first, ...(more.length > 0 && { allOf: more }) }
}

/** That one of these keys is there. An `anyOf` says it too, but generators of types make a union of it that fits anything. */
export const anyKeyOf = (keys: readonly string[]): Schema => ({
  not: { properties: Object.fromEntries(keys.map((key) => [key, false])) },
})

/** How a check says what fits; of most, the type of the parameter says it already. */
export const formats: ReadonlyMap<params.Check, Schema> = new Map<params.Check, Schema>([
  [params.string, {}],
  [params.boolean, {}],
  [params.id, {}],
  [params.secret, { format: 'password' }],
  [params.positiveInteger, { type: 'integer', minimum: 1 }],
  [params.count, { type: 'integer', minimum: 0 }],
  [params.hexColor, { pattern: '^#[0-9A-Fa-f]{6}$' }],
  [
    params.rgbColor,
    {
      pattern:
        '^rgb\\( *(25[0-5]|2[0-4]\\d|[01]?\\d?\\d) *, *(25[0-5]|2[0-4]\\d|[01]?\\d?\\d) *, *(25[0-5]|2[0-4]\\d|[01]?\\d?\\d) *\\)$',
    },
  ],
  [params.date, { pattern: '^\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])$' }],
  [params.dateTime, { pattern: '^\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01]) ([01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d$' }],
  [params.httpUrl, { pattern: '^[Hh][Tt][Tt][Pp][Ss]?://[^\\s/]' }],
  [params.domainUrl, { pattern: '^[Hh][Tt][Tt][Pp][Ss]?://[^/?#@\\s]+/?$' }],
])

/** The parameters of an interface: its members, as its types and the checks say. */
export function parametersOf(
  type: ts.Type,
  checks: params.Checks,
): { name: string; schema: Schema; required: boolean }[] {
  return type.getProperties().map((member) => {
    const required = !isOptional(member)
    const check = checks[member.name]
    const schema = { ...schemaOf(checker.getTypeOfSymbol(member)), ...descriptionOf(member) }
    return { name: member.name, required, schema: check ? checked(schema, check, required) : schema }
  })
}

function checked(schema: Schema, check: params.Check, required: boolean): Schema {
  // The type has the same values, in an order that is the compiler's.
  if (check.json?.enum) return { ...schema, enum: check.json.enum }
  const format = [...formats].find(([{ expected }]) => expected === check.expected)?.[1]
  if (!format) {
    const says = `${check.expected[0]!.toUpperCase()}${check.expected.slice(1)}.`
    return { ...schema, description: schema.description ? `${schema.description} ${says}` : says }
  }
  // `''` clears a parameter that is not required.
  const { pattern } = format
  return { ...schema, ...format, ...(typeof pattern === 'string' && !required && { pattern: `^$|${pattern}` }) }
}

/** The parameters that are sent as JSON. */
export function bodySchema(type: ts.Type, checks: params.Checks): Schema {
  const parameters = parametersOf(type, checks)
  const required = parameters.filter((parameter) => parameter.required).map(({ name }) => name)
  return {
    type: 'object',
    ...descriptionOf(type.symbol),
    ...(required.length > 0 && { required }),
    properties: Object.fromEntries(parameters.map(({ name, schema }) => [name, schema])),
  }
}

/** The type of a parameter. */
export function schemaOf(type: ts.Type): Schema {
  if (type.aliasSymbol?.name === 'Id') return { type: ['integer', 'string'], minimum: 1, pattern: '^[1-9]\\d*$' }
  if (type.isUnion()) return unionSchema(type)
  if (type.isStringLiteral()) return { const: type.value }
  if (type.flags & ts.TypeFlags.StringLike || type.isIntersection()) return { type: 'string' }
  if (type.flags & ts.TypeFlags.NumberLike) return { type: 'number' }
  if (type.flags & ts.TypeFlags.BooleanLike) return { type: 'boolean' }
  if (type.flags & ts.TypeFlags.Null) return { type: 'null' }
  if (type.flags & ts.TypeFlags.Unknown) return {}
  if (checker.isArrayType(type)) {
    return { type: 'array', items: schemaOf(checker.getTypeArguments(type as ts.TypeReference)[0]!) }
  }
  const values = type.getStringIndexType()
  if (values) return { type: 'object', additionalProperties: schemaOf(values) }
  return bodySchema(type, {})
}

function unionSchema({ types }: ts.UnionType): Schema {
  const given = types.filter(({ flags }) => !(flags & ts.TypeFlags.Undefined))
  const literals = given.flatMap((type) => (type.isStringLiteral() ? [type.value] : []))
  const others = given.filter((type) => !type.isStringLiteral())
  const schemas = others.map(schemaOf).sort((one, other) => Number(one.type === 'null') - Number(other.type === 'null'))
  // `'date' | (string & {})`: known values of what may be any string.
  const isOpen = schemas.some(({ type }) => type === 'string')
  if (literals.length > 0 && !isOpen) schemas.unshift({ type: 'string', enum: literals })
  const distinct = [...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()]
  const known = isOpen && literals.length > 0 ? { examples: literals } : {}
  if (distinct.length === 1) return { ...distinct[0], ...known }
  const areNamesOnly = distinct.every((schema) => Object.keys(schema).length === 1 && typeof schema.type === 'string')
  return areNamesOnly ? { type: distinct.map(({ type }) => type), ...known } : { anyOf: distinct, ...known }
}

/** The known values of a type such as `'links' | (string & {})`. */
function literalsOf(type: ts.Type): string[] {
  return type.isUnion() ? type.types.flatMap((part) => (part.isStringLiteral() ? [part.value] : [])) : []
}
