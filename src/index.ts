export { ShortLinkClient } from './client.ts'
export {
  AbortError,
  type AnyShortLinkError,
  ApiError,
  AuthenticationError,
  ConfigurationError,
  ConnectionError,
  type ErrorCode,
  InvalidRequestError,
  InvalidResponseError,
  type Issue,
  isShortLinkError,
  LinkConflictError,
  NotFoundError,
  type Outcome,
  PermissionError,
  RateLimitError,
  type RateLimitState,
  ServerError,
  ShortLinkError,
  TimeoutError,
} from './errors.ts'
export type { StandardSchema } from './fields/standard-schema.ts'
export type { ApiPromise, ApiResponse, Result } from './http/api-promise.ts'
export type { Page } from './http/envelope.ts'
export type { ListOptions, ListPromise, PageQuery } from './http/list.ts'
export type {
  CallErrorEvent,
  CallRequestEvent,
  CallResponseEvent,
  CallRetryEvent,
  CallWaitEvent,
  Drift,
  Logger,
  LogLevel,
} from './http/observers.ts'
export type { UploadProgress } from './http/request.ts'
export type { RequestOptions } from './http/request-options.ts'
export type { UploadContent } from './http/upload.ts'
export type { ShortLinkClientOptions } from './options.ts'
export type { RateLimiter } from './rate-limit/limiter.ts'
export { sharedRateLimiter } from './rate-limit/shared.ts'
export type { Account, AccountUpdate } from './resources/account.ts'
export type { Campaign, CampaignCreate, CampaignUpdate } from './resources/campaigns.ts'
export type { Channel, ChannelCreate, ChannelItem, ChannelUpdate } from './resources/channels.ts'
export type { Domain, DomainCreate, DomainUpdate } from './resources/domains.ts'
export type { FileQuery, FileUpload, PlatformFile, UploadedFile, UploadOptions } from './resources/files.ts'
export type {
  CreatedLink,
  EnsuredLink,
  Link,
  LinkDetails,
  LinkStatistics,
} from './resources/links/link.ts'
export type { LinkCreate, LinkQuery, LinkUpdate } from './resources/links/params.ts'
export type { OpenerLink, OpenerLinkCreate } from './resources/opener.ts'
export type { Overlay } from './resources/overlays.ts'
export type { Pixel, PixelCreate, PixelType, PixelUpdate } from './resources/pixels.ts'
export type {
  CreatedQrCode,
  QrCode,
  QrCodeCreate,
  QrCodeUpdate,
  QrData,
  QrDetails,
  QrStatistics,
} from './resources/qr.ts'
export type { ActionResult, Created, Id } from './resources/resource.ts'
export type { Splash } from './resources/splash.ts'
export type { Fetch, FetchOptions } from './runtime/fetch.ts'
export { VERSION } from './runtime/version.ts'
