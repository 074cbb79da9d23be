/** Checked by the compiler: the mock server, which shares no code with the client, has the calls of the client. */
import { expectTypeOf } from 'vitest'
import type { ManagementLine, OpenerLine } from '../../src/client/resources/calls.ts'
import type { Route } from '../../src/testing/platform/routes.ts'

expectTypeOf<Route<'management'>>().toEqualTypeOf<ManagementLine>()
expectTypeOf<Route<'opener'>>().toEqualTypeOf<OpenerLine>()
