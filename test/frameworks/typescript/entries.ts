// Every entry has types.

import { bulk } from 'shortlink-cli'
import { ShortLinkClient, sharedRateLimiter } from 'shortlink-sdk'
import { fileFromPath, serve } from 'shortlink-sdk/node'
import { createProxy } from 'shortlink-sdk/proxy'
import { Campaign } from 'shortlink-sdk/schemas'
import { createSandbox } from 'shortlink-sdk/testing'

export const client: ShortLinkClient = new ShortLinkClient(createSandbox().clientOptions)
export const entries: object[] = [bulk, fileFromPath, createProxy, sharedRateLimiter, Campaign, serve]
// @ts-expect-error: an `any` would let this pass.
export const wrong: string = createSandbox
