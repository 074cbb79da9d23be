/**
 * The schema of every answer, each made of the platform's own spellings (`wire.ts`). They are the definition: the
 * client reads with plain functions written from them by `npm run generate` (`readers.ts`), because those are four
 * times as fast as the schemas and leave zod out of a browser's download; a test holds the two to each other.
 * `shortlink-sdk/schemas` publishes them.
 */
import * as z from 'zod/mini'
import type { Reading, Word } from '../schema/fields.ts'
import * as wire from '../schema/fields.ts'

/** How a schema is read, for the generator: by a word, as an object with other names, as a list, or not at all. */
export type Plan =
  | { kind: 'word'; word: string }
  | { kind: 'object'; shape: Record<string, z.ZodMiniType>; names: wire.OtherNames | undefined }
  | { kind: 'list'; row: z.ZodMiniType }
  | { kind: 'optional'; inner: z.ZodMiniType }

/** The plan of every schema below and of its parts. */
export const plans = /* @__PURE__ */ new WeakMap<z.ZodMiniType, Plan>()

function planned<S extends z.ZodMiniType>(schema: S, plan: Plan): S {
  plans.set(schema, plan)
  return schema
}

/** Runs a reading function of `wire.ts` as a zod transform. */
function reads<T>(read: (value: unknown, reading: Reading) => T) {
  return z.transform((value: unknown, context: { issues: z.core.$ZodRawIssue[] }): T => {
    const reading: Reading = { path: [], issues: [] }
    const result = read(value, reading)
    for (const { message, path } of reading.issues) {
      context.issues.push({ code: 'custom', message, path: [...path], input: value })
    }
    return result
  })
}

function word<T>(read: Word<T>, name: keyof typeof wire) {
  return planned(z.pipe(z.optional(z.unknown()), reads(read)), { kind: 'word', word: name })
}

/** An object with these keys and any others, and the names that deployments use instead of the documented ones. */
function object<S extends Record<string, z.ZodMiniType>>(shape: S, names?: wire.OtherNames) {
  const named = reads((value, reading) => wire.object(value, reading, names))
  return planned(z.pipe(named, z.looseObject(shape)), { kind: 'object', shape, names })
}

function list<S extends z.ZodMiniType>(row: S) {
  const rows = reads((value, reading) => wire.rowsOf(value) ?? wire.mismatch<unknown[]>('a list', value, reading))
  return planned(z.pipe(rows, z.array(row)), { kind: 'list', row })
}

function optional<S extends z.ZodMiniType>(inner: S) {
  const some = z.pipe(z.optional(z.unknown()), z.transform(wire.orUndefined))
  return planned(z.pipe(some, z.optional(inner)), { kind: 'optional', inner })
}

const integer = /* @__PURE__ */ word(wire.integer, 'integer')
const countOrZero = /* @__PURE__ */ word(wire.countOrZero, 'countOrZero')
const text = /* @__PURE__ */ word(wire.text, 'text')
const textOrNull = /* @__PURE__ */ word(wire.textOrNull, 'textOrNull')
const textOrEmpty = /* @__PURE__ */ word(wire.textOrEmpty, 'textOrEmpty')
const textOrFalse = /* @__PURE__ */ word(wire.textOrFalse, 'textOrFalse')
const flag = /* @__PURE__ */ word(wire.flag, 'flag')
const counts = /* @__PURE__ */ word(wire.counts, 'counts')

export const Account = /* @__PURE__ */ object({
  id: integer,
  email: text,
  username: text,
  avatar: textOrNull,
  status: text,
  expires: textOrNull,
  registered: text,
})

export const Domain = /* @__PURE__ */ object({
  id: integer,
  domain: text,
  redirectroot: textOrNull,
  redirect404: textOrNull,
})

export const Overlay = /* @__PURE__ */ object({ id: integer, type: text, name: text, date: text })

export const Campaign = /* @__PURE__ */ object(
  { id: integer, name: text, public: flag, rotator: textOrFalse, list: text },
  { name: ['domain', 'campaign'] },
)

export const Channel = /* @__PURE__ */ object({
  id: integer,
  name: text,
  description: textOrNull,
  color: textOrNull,
  starred: flag,
})

export const ChannelItem = /* @__PURE__ */ object({
  type: text,
  id: integer,
  title: textOrNull,
  preview: textOrNull,
  link: text,
  date: text,
})

export const Splash = /* @__PURE__ */ object({ id: integer, name: text, date: text })

export const PlatformFile = /* @__PURE__ */ object({
  id: integer,
  name: text,
  downloads: integer,
  shorturl: text,
  date: text,
})

export const UploadedFile = /* @__PURE__ */ object({ id: integer, shorturl: text }, { id: ['1'] })

export const Pixel = /* @__PURE__ */ object({ id: integer, type: text, name: text, tag: text, date: text })

export const QrCode = /* @__PURE__ */ object(
  { id: integer, link: text, scans: integer, name: textOrEmpty, date: text },
  { date: ['data'] },
)

export const SocialCount = /* @__PURE__ */ object({
  facebook: countOrZero,
  twitter: countOrZero,
  instagram: countOrZero,
})

export const QrStatistics = /* @__PURE__ */ object({
  clicks: integer,
  uniqueClicks: integer,
  topCountries: counts,
  topReferrers: counts,
  topBrowsers: counts,
  topOs: counts,
  socialCount: SocialCount,
})

export const QrDetails = /* @__PURE__ */ object({ details: QrCode, data: optional(QrStatistics) })

export const DeviceTarget = /* @__PURE__ */ object({ device: text, link: text })

export const OpenerLink = /* @__PURE__ */ object({
  id: integer,
  shorturl: text,
  status: text,
  provider: text,
  domain: text,
  devicetarget: list(DeviceTarget),
  'powered-by': textOrEmpty,
})

export const Created = /* @__PURE__ */ object({ id: integer })

export const CreatedQrCode = /* @__PURE__ */ object({ id: integer, link: text })

export const ActionResult = /* @__PURE__ */ object({ message: textOrEmpty })
