/** Checked by the compiler: the checks of a call have exactly the parameters of its type and accept their values. */

import type { CampaignCreate, CampaignUpdate, LinkQuery, PageQuery, PixelUpdate } from 'shortlink-sdk'
import { boolean, defineChecks, id, oneOf, string } from '../../../src/client/checks/checks.ts'
import type { Api } from '../../../src/client/http/api.ts'
import { defineCall, defineList } from '../../../src/client/platform/define.ts'
import { Campaign } from '../../../src/client/resources/campaigns.ts'

const update = defineChecks<CampaignUpdate>({ name: string }, { slug: string, public: boolean })

const others = defineChecks<CampaignCreate>({}, { name: string, slug: string, public: boolean })

// @ts-expect-error: `public` has no check.
defineChecks<CampaignUpdate>({ name: string }, { slug: string })

// @ts-expect-error: `name` has no check.
defineChecks<CampaignUpdate>({}, { slug: string, public: boolean })

// @ts-expect-error: there is no parameter `colour`.
defineChecks<CampaignUpdate>({ name: string }, { slug: string, public: boolean, colour: string })

// @ts-expect-error: `name` must be given.
defineChecks<CampaignUpdate>({}, { name: string, slug: string, public: boolean })

// @ts-expect-error: `slug` may be left out.
defineChecks<CampaignUpdate>({ name: string, slug: string }, { public: boolean })

// @ts-expect-error: `public` is not a string.
defineChecks<CampaignUpdate>({ name: string }, { slug: string, public: string })

// @ts-expect-error: `name` is a string only.
defineChecks<CampaignUpdate>({ name: id }, { slug: string, public: boolean })

defineChecks<{ status: 'public' | 'private' }>({ status: oneOf(['public', 'private']) }, {})

// @ts-expect-error: `status` has no value `hidden`.
defineChecks<{ status: 'public' | 'private' }>({ status: oneOf(['public', 'hidden']) }, {})

// @ts-expect-error: `status` is not any string.
defineChecks<{ status: 'public' | 'private' }>({ status: string }, {})

defineChecks<PixelUpdate>({ tag: string }, { name: string })

const calls = {
  update: defineCall('PUT /campaign/:id/update', { body: update, result: Campaign }),
  create: defineCall('POST /campaign/add', { body: others, result: Campaign }),
  clear: defineCall('POST /campaign/clear', { result: Campaign }),
  list: defineList('GET /campaigns', { listKey: 'campaigns', row: Campaign }),
}

export function send(api: Api, params: CampaignUpdate, page: PageQuery, query: LinkQuery): void {
  api.call(calls.update, { path: { id: 3 }, body: params })
  api.call(calls.clear, {})
  api.list(calls.list, { query: page })
  // @ts-expect-error: the call has no checks for what is sent.
  api.call(calls.clear, { body: params })
  // @ts-expect-error: the checks of a new campaign do not ask for the name that an update needs.
  api.call(calls.create, { body: params })
  // @ts-expect-error: the call needs its parameters.
  api.call(calls.create, {})
  // @ts-expect-error: the path needs its id.
  api.call(calls.update, { body: params })
  // @ts-expect-error: the path has no parameter `name`.
  api.call(calls.update, { path: { id: 3, name: 'a' }, body: params })
  // @ts-expect-error: the path has no parameters.
  api.call(calls.clear, { path: { id: 3 } })
  // @ts-expect-error: `order` has no check.
  api.list(calls.list, { query })
}
