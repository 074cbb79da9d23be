export {
  type HttpMethod,
  type PaginateParams,
  type RequestParams,
  type RequestQuery,
  ShortLinkClient,
} from './client/client.ts'
export type { Page, PageQuery } from './client/definition.ts'
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
  type InvalidResponseReason,
  type Issue,
  type IssueCode,
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
} from './client/errors.ts'
export type { KeySource } from './client/http/api-key.ts'
export type { ApiPromise, ApiResponse, Result } from './client/http/api-promise.ts'
export type { UploadProgress } from './client/http/call.ts'
export type { ListPromise } from './client/http/list.ts'
export type {
  CallErrorEvent,
  CallRequestEvent,
  CallResponseEvent,
  CallRetryEvent,
  CallWaitEvent,
  Drift,
  Logger,
  LogLevel,
  Observers,
} from './client/http/observers.ts'
export type { BeforeRequest, Priority, RequestOptions, Validation } from './client/http/request-options.ts'
export type { UploadContent } from './client/http/upload.ts'
export type { EnsuredLink, EnsureOptions, LinkEnsure } from './client/links/ensure.ts'
export type { LinksResource } from './client/links/links.ts'
export type { ShortLinkClientOptions } from './client/options.ts'
export type { StandardSchema } from './client/parse/standard-schema.ts'
export type { AuthScheme } from './client/platform/apis.ts'
export type { HeadersLike } from './client/platform/rate-headers.ts'
export type {
  AcquireOptions,
  RateLimiter,
  RateLimitOptions,
  RateLimitResponse,
  SlotRefusal,
} from './client/rate-limit/rate-limiter.ts'
export {
  type SharedRateLimitOptions,
  type StoreLimiter,
  type StoreState,
  sharedRateLimiter,
} from './client/rate-limit/shared.ts'
export type { Account, AccountResource, AccountUpdate } from './client/resources/account.ts'
export type {
  Campaign,
  CampaignCreate,
  CampaignsResource,
  CampaignUpdate,
  CreatedCampaign,
} from './client/resources/campaigns.ts'
export type {
  Channel,
  ChannelCreate,
  ChannelItem,
  ChannelItemType,
  ChannelsResource,
  ChannelUpdate,
  CreatedChannel,
} from './client/resources/channels.ts'
export type { Domain, DomainCreate, DomainsResource, DomainUpdate } from './client/resources/domains.ts'
export type {
  FileQuery,
  FilesResource,
  FileUpload,
  PlatformFile,
  UploadedFile,
  UploadOptions,
} from './client/resources/files.ts'
export type {
  CreatedLink,
  Link,
  LinkCreate,
  LinkDetails,
  LinkFields,
  LinkQuery,
  LinkSocialCount,
  LinkStatistics,
  LinkUpdate,
} from './client/resources/links.ts'
export type {
  DeviceTarget,
  OpenerLink,
  OpenerLinkCreate,
  OpenerLinkStatus,
  OpenerResource,
} from './client/resources/opener.ts'
export type { Overlay, OverlaysResource } from './client/resources/overlays.ts'
export type { Pixel, PixelCreate, PixelsResource, PixelType, PixelUpdate } from './client/resources/pixels.ts'
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
} from './client/resources/qr.ts'
export type { ActionResult, Created, Id } from './client/resources/resource.ts'
export type { Splash, SplashResource } from './client/resources/splash.ts'
export type { Fetch, FetchOptions, FetchResponse, HeadersInput } from './client/runtime/fetch.ts'
export { VERSION } from './client/runtime/version.ts'
