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
  Visit,
} from './data/rows.ts'
export { sampleData } from './data/sample.ts'
export { type Deviation, deviations, type SandboxDialect } from './dialect/dialect.ts'
export type { SandboxRequest } from './exchange/request-log.ts'
export type { ChaosOptions } from './faults/chaos.ts'
export type { Fault, FaultEffect } from './faults/fault.ts'
export type { SandboxRateLimit } from './platform/rate-window.ts'
export { createSandbox, type Sandbox, type SandboxOptions } from './sandbox.ts'
