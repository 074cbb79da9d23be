import * as z from 'zod/mini'
import { isRecord } from '../../schema/expected.ts'

/** An object of a response, and the schema that the client reads it with. */
export interface Sample {
  /** Where it stands, such as `campaigns[]`. */
  readonly where: string
  readonly raw: Readonly<Record<string, unknown>>
  readonly schema: z.ZodMiniType
  /** Whether the reference shows the object, and so says which keys it has. */
  readonly inReference: boolean
}

/** An object of a response, and the objects inside of it that have a schema. */
export function samplesOf(sample: Omit<Sample, 'raw'> & { raw: unknown }): Sample[] {
  const { raw, where } = sample
  if (!isRecord(raw)) return []
  const inner = Object.entries(shapeOf(sample.schema) ?? {}).flatMap(([name, schema]) =>
    shapeOf(schema) ? samplesOf({ ...sample, where: `${where}.${name}`, schema, raw: raw[name] }) : [],
  )
  return [{ ...sample, raw }, ...inner]
}

/** The documented fields of samples, as they came. */
export function fieldsOf(samples: readonly Sample[]) {
  return samples.flatMap(({ where, raw, schema }) =>
    Object.entries(shapeOf(schema) ?? {}).map(([name, field]) => ({ where, name, schema: field, value: raw[name] })),
  )
}

/** The keys that the reference does not list, once the other names of documented fields are taken off. */
export function extraKeys({ raw, schema }: Sample): string[] {
  const read = z.safeParse(schema, raw).data
  const shape = shapeOf(schema) ?? {}
  return isRecord(read) ? Object.keys(read).filter((key) => !Object.hasOwn(shape, key)) : []
}

/** How the documented fields without a value came: as `null`, or without a key. */
export function absentFields({ raw, schema }: Sample): ('null' | 'missing')[] {
  const read = z.safeParse(schema, raw).data
  if (!isRecord(read)) return []
  const isAbsent = (name: string) => (read[name] === null || read[name] === '') && raw[name] !== ''
  return Object.keys(shapeOf(schema) ?? {})
    .filter(isAbsent)
    .map((name) => (name in raw ? 'null' : 'missing'))
}

/** The fields of an object schema, below the conversions that it is wrapped in. */
export function shapeOf(schema: z.ZodMiniType): Readonly<Record<string, z.ZodMiniType>> | undefined {
  const { out, innerType, shape } = schema._zod.def as {
    out?: z.ZodMiniType
    innerType?: z.ZodMiniType
    shape?: Record<string, z.ZodMiniType>
  }
  const inner = out ?? innerType
  return shape ?? (inner && shapeOf(inner))
}
