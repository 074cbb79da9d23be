import { Ajv2020 } from 'ajv/dist/2020.js'
import { ShortLinkClient } from 'shortlink-sdk'
import * as exported from 'shortlink-sdk/schemas'
import { createSandbox, sampleData } from 'shortlink-sdk/testing'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'

type Name = {
  [Key in keyof typeof exported]: (typeof exported)[Key] extends exported.Schema<unknown> ? Key : never
}[keyof typeof exported]

const sandbox = createSandbox({ data: sampleData() })
const client = new ShortLinkClient(sandbox.clientOptions)
const firstOf = async <Row>(list: AsyncIterable<Row>): Promise<Row> => {
  for await (const row of list) return row
  throw new Error('an empty list')
}

/** A value of each schema, as the client reads it from responses as the reference prints them. */
const samples: Record<Name, () => Promise<unknown>> = {
  Account: async () => client.account.get(),
  ActionResult: async () => client.channels.update(1, { starred: true }),
  Campaign: () => firstOf(client.campaigns.list()),
  Channel: () => firstOf(client.channels.list()),
  ChannelItem: () => firstOf(client.channels.items(1)),
  Created: async () => client.pixels.create({ type: 'bing', name: 'Ads', tag: crypto.randomUUID() }),
  CreatedLink: async () => client.links.create({ url: 'https://shop.example' }),
  CreatedQrCode: async () => client.qr.create({ type: 'text', data: 'Tea' }),
  Domain: () => firstOf(client.domains.list()),
  Link: () => firstOf(client.links.list()),
  LinkDetails: async () => client.links.get(1),
  OpenerLink: async () => client.opener.create({ url: 'https://www.youtube.com/watch?v=aqz-KE-bpKQ' }),
  Overlay: () => firstOf(client.overlays.list()),
  Pixel: () => firstOf(client.pixels.list()),
  PlatformFile: () => firstOf(client.files.list()),
  QrCode: () => firstOf(client.qr.list()),
  QrDetails: async () => client.qr.get(1),
  QrStatistics: async () => (await client.qr.get(1)).data,
  Splash: () => firstOf(client.splash.list()),
  UploadedFile: async () => client.files.upload('tea.txt', new Blob(['Tea'])),
}

const schemas: Readonly<Record<Name, unknown>> = { ...exported }

const ajv = new Ajv2020({ strict: true, allowUnionTypes: true })
const jsonSchemaOf = (name: Name) => z.toJSONSchema(schemas[name] as z.ZodType)

/** The value with another in the place of each field, at every depth. */
function* withOneWrong(value: unknown, wrong: unknown): Generator<unknown> {
  yield wrong
  if (Array.isArray(value)) for (const changed of withOneWrong(value[0], wrong)) yield [changed]
  else if (typeof value === 'object' && value !== null) {
    for (const [name, field] of Object.entries(value))
      for (const changed of withOneWrong(field, wrong)) yield { ...value, [name]: changed }
  }
}

describe.each(Object.keys(samples) as Name[])('the JSON schema that zod makes of %s', (name) => {
  it('accepts what the client reads, with keys of tomorrow', async () => {
    const validate = ajv.compile(jsonSchemaOf(name))
    const sample = (await samples[name]()) as object
    for (const value of [sample, { ...sample, tomorrow: 1 }]) {
      expect(validate(value), JSON.stringify(validate.errors)).toBe(true)
    }
  })

  it('refuses each field with a value of another type, and each that is missing unless it may be left out', async () => {
    const validate = ajv.compile(jsonSchemaOf(name))
    const sample = (await samples[name]()) as object
    for (const changed of withOneWrong(sample, Symbol('a value of no type in JSON'))) {
      expect(validate(changed), JSON.stringify(changed)).toBe(false)
    }
    const optional: Partial<Record<Name, string[]>> = { QrDetails: ['data'], LinkDetails: ['id'] }
    for (const field of Object.keys(sample)) {
      if (optional[name]?.includes(field)) continue
      const { [field]: _, ...rest } = sample as Record<string, unknown>
      expect(validate(rest), field).toBe(false)
    }
  })
})

it('is there for every exported schema', () => {
  expect(Object.keys(samples).sort()).toEqual(Object.keys(schemas).sort())
})
