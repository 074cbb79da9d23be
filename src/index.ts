export {
  type HttpMethod,
  type PaginateParams,
  type RequestParams,
  type RequestQuery,
  ShortLinkClient,
} from './client.ts'
export {
  AbortError,
  type AnyShortLinkError,
  ApiError,
  type ApiErrorResponse,
  AuthenticationError,
  ConfigurationError,
  ConnectionError,
  type ErrorCode,
  type ErrorContext,
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
export type { StandardIssue, StandardResult, StandardSchema } from './fields/standard-schema.ts'
export type { AuthScheme, KeySource } from './http/api-key.ts'
export type { ApiPromise, ApiResponse, Result } from './http/api-promise.ts'
export type { Page } from './http/envelope.ts'
export type { ListOptions, ListPromise, PageQuery } from './http/list.ts'
export type {
  CallErrorEvent,
  CallEvent,
  CallRequestEvent,
  CallResponseEvent,
  CallRetryEvent,
  CallWaitEvent,
  Drift,
  Logger,
  LogLevel,
  Observers,
} from './http/observers.ts'
export type { UploadProgress } from './http/request.ts'
export type { BeforeRequest, RequestOptions } from './http/request-options.ts'
export type { UploadContent } from './http/upload.ts'
export type { ShortLinkClientOptions } from './options.ts'
export type { HeadersLike } from './rate-limit/headers.ts'
export type { AcquireOptions, RateLimiter, SlotWait } from './rate-limit/limiter.ts'
export {
  type SharedRateLimitOptions,
  type StoreLimiter,
  type StoreState,
  sharedRateLimiter,
} from './rate-limit/shared.ts'
export type { RateLimitOptions, RateLimitResponse } from './rate-limit/window.ts'
export type { Account, AccountResource, AccountUpdate } from './resources/account.ts'
export type { Campaign, CampaignCreate, CampaignsResource, CampaignUpdate } from './resources/campaigns.ts'
export type {
  Channel,
  ChannelCreate,
  ChannelItem,
  ChannelItemType,
  ChannelsResource,
  ChannelUpdate,
} from './resources/channels.ts'
export type { Domain, DomainCreate, DomainsResource, DomainUpdate } from './resources/domains.ts'
export type {
  FileQuery,
  FilesResource,
  FileUpload,
  PlatformFile,
  UploadedFile,
  UploadOptions,
} from './resources/files.ts'
export type { EnsureOptions, LinkEnsure } from './resources/links/ensure.ts'
export type {
  CreatedLink,
  EnsuredLink,
  Link,
  LinkDetails,
  LinkFields,
  LinkSocialCount,
  LinkStatistics,
} from './resources/links/link.ts'
export type { LinksResource } from './resources/links/links.ts'
export type { LinkCreate, LinkQuery, LinkUpdate } from './resources/links/params.ts'
export type {
  DeviceTarget,
  OpenerLink,
  OpenerLinkCreate,
  OpenerLinkStatus,
  OpenerResource,
} from './resources/opener.ts'
export type { Overlay, OverlaysResource } from './resources/overlays.ts'
export type { Pixel, PixelCreate, PixelsResource, PixelType, PixelUpdate } from './resources/pixels.ts'
export type {
  CreatedQrCode,
  QrCode,
  QrCodeCreate,
  QrCodeUpdate,
  QrData,
  QrDetails,
  QrLayouts,
  QrResource,
  QrStatistics,
  QrType,
  SocialCount,
} from './resources/qr.ts'
export type { ActionResult, Created, Id } from './resources/resource.ts'
export type { Splash, SplashResource } from './resources/splash.ts'
export type { Fetch, FetchOptions, FetchResponse, HeadersInput, OwnFetchOption } from './runtime/fetch.ts'
export { VERSION } from './runtime/version.ts'
