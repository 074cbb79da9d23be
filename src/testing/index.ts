export type { ChaosOptions } from './chaos.ts'
export type {
  AccountRow,
  BioRow,
  CampaignRow,
  ChannelRow,
  DomainRow,
  FileRow,
  ItemType,
  LinkRow,
  ListName,
  OpenerLinkRow,
  OverlayRow,
  PixelRow,
  QrRow,
  SandboxData,
  SandboxSeed,
  SplashRow,
  VisitCounts,
} from './data.ts'
export type { AuthScheme } from './deviations.ts'
export { type Deviation, deviations, type SandboxDialect } from './dialect.ts'
export type { Fault, FaultEffect } from './faults.ts'
export type { SandboxRateLimit } from './platform/rate-window.ts'
export type { SandboxRequest } from './request-log.ts'
export { sampleData } from './sample-data.ts'
export { createSandbox, type Sandbox, type SandboxOptions } from './sandbox.ts'
