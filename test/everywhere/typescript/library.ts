/** A library built on the package: every export has an inferred type, which its declarations must be able to name. */

import { bulk, importLinks, reportLinks, syncLinks } from 'shortlink-cli'
import { fileJournal } from 'shortlink-cli/node'
import { isShortLinkError, ShortLinkClient, sharedRateLimiter } from 'shortlink-sdk'
import { fileFromPath, serve } from 'shortlink-sdk/node'
import { createProxy, errorResponse } from 'shortlink-sdk/proxy'
import { Campaign, QrDetails } from 'shortlink-sdk/schemas'
import { apiPromise, createSandbox, deviations, listPromise } from 'shortlink-sdk/testing'

export const client = new ShortLinkClient()
export const { account, links, qr, files } = client
export const create = client.links.create
export const ensure = (alias: string) => links.ensure({ url: 'https://shop.example', custom: alias })
export const campaigns = () => client.campaigns.list()
export const pages = () => client.campaigns.list().pages()
export const result = () => client.account.get().safe()
export const raw = () => client.qr.get(1).withResponse()
export const request = client.request
export const paginate = client.paginate
export const patient = client.withOptions({ retry: 5, fetchOptions: { cache: 'no-store', next: { revalidate: 60 } } })
export const limiter = sharedRateLimiter
export const codeOf = (error: unknown) => (isShortLinkError(error) ? error : undefined)

export const imported = () => importLinks(client, [{ url: 'https://shop.example' }])
export const summary = async () => await imported().summary()
export const report = () => reportLinks(client)
export const sync = () => syncLinks(client, [])
export const work = () => bulk([1, 2], async (item) => ({ item }))

export const campaign = (row: unknown) => Campaign.parse(row)
export const details = (row: unknown) => QrDetails.safeParse(row).data
export const campaignSchema = Campaign
export interface ShopCampaign extends Campaign {
  shop: string
}

export const proxy = createProxy(client, { allow: ['GET /campaigns', 'GET /reports/:id'], authorize: 'everyone' })
export const response = errorResponse
export const journal = () => fileJournal('links.journal')
export const file = () => fileFromPath('menu.pdf')
export const sandbox = createSandbox()
export const server = () => serve(sandbox)
export const known = deviations
export const stub = apiPromise({ id: 1 })
export const stubbedList = listPromise([{ id: 1 }])

export class ShopClient extends ShortLinkClient {
  readonly opening = this.links.find('opening')
}
export const shop = new ShopClient().withOptions({ deadline: false })
