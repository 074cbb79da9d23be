import * as z from 'zod/mini'
import { isRecord } from '../../schema/expected.ts'

/** The documented fields of an object, and the schemas that the client reads them with. */
type Shape = Readonly<Record<string, z.ZodMiniType>>

/** An object of a response. */
export interface Sample {
  /** Where it stands, such as `campaigns[]`. */
  readonly where: string
  readonly raw: Readonly<Record<string, unknown>>
  /** As the client reads it, under the documented names. */
  readonly read: Readonly<Record<string, unknown>>
  readonly shape: Shape
  /** Whether the reference shows the object, and so says which keys it has. */
  readonly inReference: boolean
}

/** An object of a response, and the objects inside of it that have a schema. */
export function samplesOf(where: string, schema: z.ZodMiniType, raw: unknown, inReference: boolean): Sample[] {
  const shape = shapeOf(schema)
  if (!shape || !isRecord(raw)) return []
  const { data } = z.safeParse(schema, raw)
  const inner = Object.entries(shape).flatMap(([name, field]) =>
    samplesOf(`${where}.${name}`, field, raw[name], inReference),
  )
  return [{ where, raw, read: isRecord(data) ? data : {}, shape, inReference }, ...inner]
}

/** A documented field, as it came. */
export type Field = ReturnType<typeof fieldsOf>[number]

/** The documented fields of samples. */
export function fieldsOf(samples: readonly Sample[]) {
  return samples.flatMap(({ where, raw, shape }) =>
    Object.entries(shape).map(([name, schema]) => ({ where, name, schema, value: raw[name] })),
  )
}

/** Whether it has keys that the reference does not list, once the other names of documented fields are taken off. */
export function hasExtraKeys({ read, shape }: Sample): boolean {
  return Object.keys(read).some((key) => !Object.hasOwn(shape, key))
}

/** The documented fields without a value, unless that came as an empty string. */
export function absentFields({ raw, read, shape }: Sample): string[] {
  return Object.keys(shape).filter((name) => (read[name] === null || read[name] === '') && raw[name] !== '')
}

/** The fields of an object schema, below the conversions that it is wrapped in. */
export function shapeOf(schema: z.ZodMiniType): Shape | undefined {
  const { out, innerType, shape } = schema._zod.def as { out?: z.ZodMiniType; innerType?: z.ZodMiniType; shape?: Shape }
  const inner = out ?? innerType
  return shape ?? (inner && shapeOf(inner))
}
