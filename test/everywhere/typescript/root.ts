/** Uses the root entry, which `moduleResolution: node10` finds by `main` and `types` of package.json. */
import { type Campaign, isShortLinkError, ShortLinkClient } from 'shortlink-sdk'

export const client = new ShortLinkClient({ baseUrl: 'https://sho.rt/api', apiKey: 'key' })
export const campaigns: Promise<Campaign[]> = client.campaigns.list().toArray()
export const codeOf = (error: unknown): string | undefined => (isShortLinkError(error) ? error.code : undefined)
// @ts-expect-error: an `any` would let this pass
export const wrong: string = client.campaigns.list()
