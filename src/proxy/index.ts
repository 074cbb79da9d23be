export type { AllowedCall } from './allow.ts'
export { errorResponse } from './error-response.ts'
export type { ProxyClient, ProxyOptions } from './options.ts'
export { createProxy } from './proxy.ts'
