export type { ShortLinkClient } from '../client/client.ts'
export type { AllowedCall, KnownCall } from './allow.ts'
export { errorResponse } from './error-response.ts'
export { createProxy, type ProxyClient, type ProxyOptions } from './proxy.ts'
