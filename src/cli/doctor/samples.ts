import * as z from 'zod/mini'
import { isRecord } from '../../schema/expected.ts'

/** An object of an answer, and the schema that the client reads it with. */
export interface Sample {
  /** Where it stands, such as `data.campaigns[]`. */
  readonly where: string
  readonly raw: Readonly<Record<string, unknown>>
  readonly schema: z.ZodMiniType
  /** Whether the reference shows the object, and so says which keys it has. */
  readonly inReference: boolean
}

/** A documented field of a sample. */
export interface Field {
  readonly where: string
  readonly name: string
  readonly schema: z.ZodMiniType
  readonly value: unknown
}

type Shape = Readonly<Record<string, z.ZodMiniType>>

/** An object of an answer, and the objects inside of it that have a schema. */
export function samplesOf(sample: Omit<Sample, 'raw'> & { raw: unknown }): Sample[] {
  const { raw, where } = sample
  if (!isRecord(raw)) return []
  const inner = Object.entries(shapeOf(sample.schema) ?? {}).flatMap(([name, schema]) =>
    shapeOf(schema) ? samplesOf({ ...sample, where: `${where}.${name}`, schema, raw: raw[name] }) : [],
  )
  return [{ ...sample, raw }, ...inner]
}

/** The documented fields of a sample, as they came. */
export function fieldsOf({ where, raw, schema }: Sample): Field[] {
  return Object.entries(shapeOf(schema) ?? {}).map(([name, field]) => ({
    where,
    name,
    schema: field,
    value: raw[name],
  }))
}

/** The keys that the reference does not list, once the other names of documented fields are taken off. */
export function extraKeys({ raw, schema, inReference }: Sample): string[] {
  const read = inReference ? z.safeParse(schema, raw) : undefined
  const shape = shapeOf(schema) ?? {}
  return isRecord(read?.data) ? Object.keys(read.data).filter((key) => !Object.hasOwn(shape, key)) : []
}

/** The documented fields that have no value: those that are `null`, and those that have no key. */
export function absentFields({ raw, schema, inReference }: Sample): { isNull: boolean }[] {
  const read = inReference ? z.safeParse(schema, raw) : undefined
  if (!isRecord(read?.data)) return []
  const values = read.data
  return Object.keys(shapeOf(schema) ?? {})
    .filter((name) => (values[name] === null || values[name] === '') && raw[name] !== '')
    .map((name) => ({ isNull: name in raw }))
}

/** The fields of an object schema, beneath the conversions that this package wraps it in. */
export function shapeOf(schema: z.ZodMiniType): Shape | undefined {
  const { out, innerType, shape } = schema._zod.def as {
    out?: z.ZodMiniType
    innerType?: z.ZodMiniType
    shape?: Shape
  }
  const inner = out ?? innerType
  return shape ?? (inner && shapeOf(inner))
}
