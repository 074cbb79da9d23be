// Every entry has types.
import { ShortLinkClient, sharedRateLimiter } from 'shortlink-sdk'
import { fileFromPath, serve } from 'shortlink-sdk/node'
import { createProxy } from 'shortlink-sdk/proxy'
import { Campaign } from 'shortlink-sdk/schemas'
import { bulk } from 'shortlink-sdk/tasks'
import { createSandbox } from 'shortlink-sdk/testing'

export const client: ShortLinkClient = new ShortLinkClient(createSandbox().clientOptions)
export const entries: object[] = [bulk, fileFromPath, createProxy, sharedRateLimiter, Campaign, serve]
// @ts-expect-error: an `any` would let this pass.
export const wrong: string = createSandbox
