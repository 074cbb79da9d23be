/** Checked by the compiler: the mock server, which shares no code with the client, has the calls of the client. */
import type { KnownCall } from 'shortlink-sdk/proxy'
import { expectTypeOf } from 'vitest'
import type { Route } from '../../src/testing/platform/routes.ts'

type OpenerCall = Extract<KnownCall, `${string} /opener/${string}`>

expectTypeOf<Route<'management'>>().toEqualTypeOf<Exclude<KnownCall, OpenerCall>>()
expectTypeOf<Route<'opener'>>().toEqualTypeOf<
  OpenerCall extends `${infer Method} /opener${infer Path}` ? `${Method} ${Path}` : never
>()
