/** Checked by the compiler: the checks of a call have exactly the parameters of its type and accept their values. */

import type { CampaignCreate, CampaignUpdate, PixelUpdate } from 'shortlink-sdk'
import { boolean, defineChecks, id, oneOf, string } from '../../../src/client/checks/checks.ts'
import type { Api } from '../../../src/client/http/api.ts'
import { path } from '../../../src/client/http/path.ts'
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

export function send(api: Api, params: CampaignUpdate): void {
  api.put(path`/campaign/update`, { json: params, checks: update, schema: Campaign })
  // @ts-expect-error: what is sent has no checks.
  api.put(path`/campaign/update`, { json: params, schema: Campaign })
  // @ts-expect-error: the checks of a new campaign do not ask for the name that an update needs.
  api.put(path`/campaign/update`, { json: params, checks: others, schema: Campaign })
}
