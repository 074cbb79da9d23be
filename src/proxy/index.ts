export type { AllowedCall } from './allow.ts'
export type { ProxyOptions } from './options.ts'
export type { CorsOptions } from './origins.ts'
export { createProxy } from './proxy.ts'
