/** Holds every published interface to the schema that reads it, both ways; checked by `npm run types`, never run. */
import { expectTypeOf } from 'vitest'
import type * as z from 'zod/mini'
import type * as readers from '../src/answers/readers.ts'
import type * as answers from '../src/answers/schemas.ts'
import type * as sdk from '../src/index.ts'
import type { Reading } from '../src/schema/fields.ts'
import type * as published from '../src/schemas.ts'

interface Interfaces {
  Account: sdk.Account
  ActionResult: sdk.ActionResult
  Campaign: sdk.Campaign
  Channel: sdk.Channel
  ChannelItem: sdk.ChannelItem
  Created: sdk.Created
  CreatedQrCode: sdk.CreatedQrCode
  DeviceTarget: sdk.DeviceTarget
  Domain: sdk.Domain
  OpenerLink: sdk.OpenerLink
  Overlay: sdk.Overlay
  Pixel: sdk.Pixel
  PlatformFile: sdk.PlatformFile
  QrCode: sdk.QrCode
  QrDetails: sdk.QrDetails
  QrStatistics: sdk.QrStatistics
  SocialCount: sdk.SocialCount
  Splash: sdk.Splash
  UploadedFile: sdk.UploadedFile
}

type Schemas = Omit<typeof answers, 'plans'>

/** A type without the index signature of a loose object, all the way down. */
type Known<T> = T extends string | number | boolean | null | undefined
  ? T
  : T extends readonly (infer Row)[]
    ? Known<Row>[]
    : keyof Declared<T> extends never
      ? T
      : Declared<T>
type Declared<T> = { [Key in keyof T as string extends Key ? never : Key]: Known<T[Key]> }

/** The names of interfaces that say something else than their schemas. */
type Different = {
  [Name in keyof Schemas]: [Known<z.infer<Schemas[Name]>>, Known<Interfaces[Name]>] extends [
    Known<Interfaces[Name]>,
    Known<z.infer<Schemas[Name]>>,
  ]
    ? [keyof Declared<z.infer<Schemas[Name]>>, keyof Interfaces[Name]] extends [
        keyof Interfaces[Name],
        keyof Declared<z.infer<Schemas[Name]>>,
      ]
      ? never
      : Name
    : Name
}[keyof Schemas]

expectTypeOf<keyof Schemas>().toEqualTypeOf<keyof Interfaces>()
expectTypeOf<Different>().toEqualTypeOf<never>()

/** The same of the generated readers. */
type Read<Name extends keyof Interfaces> = ReturnType<(typeof readers)[`read${Name}`]>
type ReadDifferently = {
  [Name in keyof Interfaces]: Read<Name> extends Interfaces[Name]
    ? keyof Interfaces[Name] extends keyof Read<Name>
      ? never
      : Name
    : Name
}[keyof Interfaces]
expectTypeOf<ReadDifferently>().toEqualTypeOf<never>()
expectTypeOf<Parameters<typeof readers.readAccount>>().toEqualTypeOf<[value: unknown, reading: Reading]>()

/** What `shortlink-sdk/schemas` publishes gives the published interfaces. */
type Published = {
  -readonly [Name in keyof typeof published]: NonNullable<(typeof published)[Name]['~standard']['types']>['output']
}
expectTypeOf<Published>().toEqualTypeOf<Pick<Interfaces, keyof typeof published>>()
