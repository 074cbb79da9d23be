export type { AllowedCall } from './allow.ts'
export type { CorsOptions } from './cors.ts'
export type { ProxyOptions } from './options.ts'
export { createProxy } from './proxy.ts'
