/** Checked by the compiler alone: every optional option may be `undefined`, with `exactOptionalPropertyTypes` too. */

import type { BulkOptions } from 'shortlink-cli'
import type { RequestOptions, ShortLinkClientOptions } from 'shortlink-sdk'
import type { ChaosOptions, Fault, SandboxOptions } from 'shortlink-sdk/testing'
import { expectTypeOf } from 'vitest'
import type { RateLimitOptions } from '../src/client/rate-limit/rate-limiter.ts'
import type { ServeOptions } from '../src/testing/server.ts'

/** Options with every optional property `undefined`. */
type Undefined<Options> = {
  [Name in keyof Options]: object extends Pick<Options, Name> ? undefined : Options[Name]
}

expectTypeOf<Undefined<ShortLinkClientOptions>>().toExtend<ShortLinkClientOptions>()
expectTypeOf<Undefined<RateLimitOptions>>().toExtend<RateLimitOptions>()
expectTypeOf<Undefined<RequestOptions>>().toExtend<RequestOptions>()
expectTypeOf<Undefined<BulkOptions<string>>>().toExtend<BulkOptions<string>>()
expectTypeOf<Undefined<SandboxOptions>>().toExtend<SandboxOptions>()
expectTypeOf<Undefined<ChaosOptions>>().toExtend<ChaosOptions>()
expectTypeOf<Undefined<ServeOptions>>().toExtend<ServeOptions>()
expectTypeOf<Undefined<Fault>>().toExtend<Fault>()
