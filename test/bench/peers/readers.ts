/** Schema libraries reading campaigns as the reference describes them, and no more generously than that. */
import * as v from 'valibot'
import { z } from 'zod'
import * as mini from 'zod/mini'

const full = z.array(
  z.looseObject({
    id: z.int(),
    name: z.string(),
    public: z.boolean(),
    rotator: z.union([z.string(), z.literal(false)]),
    list: z.string(),
  }),
)
const small = mini.array(
  mini.looseObject({
    id: mini.int(),
    name: mini.string(),
    public: mini.boolean(),
    rotator: mini.union([mini.string(), mini.literal(false)]),
    list: mini.string(),
  }),
)
const compiled = mini.compile(small, { strict: true })
const valibot = v.array(
  v.looseObject({
    id: v.pipe(v.number(), v.integer()),
    name: v.string(),
    public: v.boolean(),
    rotator: v.union([v.string(), v.literal(false)]),
    list: v.string(),
  }),
)

export const readers: Record<string, (rows: unknown) => unknown> = {
  'zod/mini': (rows) => small.parse(rows),
  'zod, its own JIT': (rows) => full.parse(rows),
  'zod compiled': (rows) => compiled.parse(rows),
  valibot: (rows) => v.parse(valibot, rows),
}
