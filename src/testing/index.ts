export type { RateLimiter } from '../client/rate-limit/rate-limiter.ts'
export type { ChaosOptions } from './faults/chaos.ts'
export type { Fault, FaultEffect } from './faults/faults.ts'
export type { SandboxOptions } from './options.ts'
export type {
  SandboxAccount,
  SandboxBio,
  SandboxCampaign,
  SandboxChannel,
  SandboxData,
  SandboxDomain,
  SandboxFile,
  SandboxItemType,
  SandboxLink,
  SandboxListName,
  SandboxOpenerLink,
  SandboxOverlay,
  SandboxPixel,
  SandboxQrCode,
  SandboxSeed,
  SandboxSplash,
} from './platform/data.ts'
export { type Deviation, deviations, type SandboxDialect } from './platform/dialect.ts'
export type { SandboxRateLimit } from './platform/rate-window.ts'
export type { SandboxRequest } from './platform/request-log.ts'
export { sampleData } from './sample-data.ts'
export { createSandbox, type Sandbox, type SandboxClientOptions } from './sandbox.ts'
export { type ApiPromise, apiPromise, type ListPromise, listPromise } from './stubs.ts'
