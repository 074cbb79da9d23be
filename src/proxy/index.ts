export type { AllowedCall } from './allow.ts'
export type { ProxyClient, ProxyOptions } from './options.ts'
export { createProxy } from './proxy.ts'
