export {
  type HttpMethod,
  type PaginateParams,
  type Query,
  type RequestParams,
  ShortLinkClient,
} from './client.ts'
export {
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
  NotFoundError,
  type Outcome,
  PermissionError,
  RateLimitError,
  type RateLimitState,
  ServerError,
  ShortLinkError,
  TimeoutError,
} from './errors.ts'
export { ApiPromise, type ApiResponse, type Result } from './http/api-promise.ts'
export type { Logger, LogLevel } from './http/events/log.ts'
export type {
  CallEvent,
  Drift,
  ErrorEvent,
  RequestEvent,
  ResponseEvent,
  RetryEvent,
  WaitEvent,
} from './http/events/observers.ts'
export { ListPromise } from './http/lists/list-promise.ts'
export type { ListOptions, Page, PageQuery } from './http/lists/page.ts'
export type { RequestOptions } from './http/request-options.ts'
export type { RetryOptions } from './http/retry.ts'
export type { UploadContent, UploadProgress } from './http/uploads/upload.ts'
export type { ShortLinkClientOptions } from './options.ts'
export {
  type AcquireOptions,
  type BudgetWait,
  createRateLimiter,
  type RateLimitAnswer,
  type RateLimiter,
  type RateLimitOptions,
} from './rate-limit/limiter.ts'
export type { Account, AccountUpdate } from './resources/account.ts'
export type { Campaign, CampaignCreate, CampaignUpdate } from './resources/campaigns.ts'
export type { Channel, ChannelCreate, ChannelItem, ChannelItemType, ChannelUpdate } from './resources/channels.ts'
export type { Domain, DomainCreate, DomainUpdate } from './resources/domains.ts'
export type { FileQuery, FileUpload, PlatformFile, UploadedFile, UploadOptions } from './resources/files.ts'
export type { DeviceTarget, OpenerLink, OpenerLinkCreate, OpenerLinkStatus } from './resources/opener.ts'
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
  QrType,
  SocialCount,
} from './resources/qr.ts'
export type { ActionResult, Created, Id } from './resources/resource.ts'
export type { Splash } from './resources/splash.ts'
export type { Fetch, FetchResponse } from './runtime/fetch.ts'
export { VERSION } from './runtime/version.ts'
export type { StandardSchema } from './schema/standard-schema.ts'
