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
  Scan,
  SplashRow,
} from './data.ts'
export type { Fault, Misbehaviour } from './faults.ts'
export type { SandboxRateLimit } from './rate.ts'
export type { SandboxRequest } from './requests.ts'
export { sampleData } from './sample.ts'
export { createSandbox, type Sandbox, type SandboxOptions } from './sandbox.ts'
