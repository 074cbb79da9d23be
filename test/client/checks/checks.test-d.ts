/** Checked by the compiler: the checks of a call have exactly the parameters of its type and accept their values. */

import type { CampaignCreate, CampaignUpdate, PixelUpdate } from 'shortlink-sdk'
import { boolean, checks, id, oneOf, string } from '../../../src/client/checks/checks.ts'
import type { Api } from '../../../src/client/http/api.ts'
import { path } from '../../../src/client/http/path.ts'
import { Campaign } from '../../../src/client/resources/campaigns.ts'

const update = checks<CampaignUpdate>({ name: string }, { slug: string, public: boolean })

const others = checks<CampaignCreate>({}, { name: string, slug: string, public: boolean })

// @ts-expect-error: `public` has no check.
checks<CampaignUpdate>({ name: string }, { slug: string })

// @ts-expect-error: `name` has no check.
checks<CampaignUpdate>({}, { slug: string, public: boolean })

// @ts-expect-error: there is no parameter `colour`.
checks<CampaignUpdate>({ name: string }, { slug: string, public: boolean, colour: string })

// @ts-expect-error: `name` must be given.
checks<CampaignUpdate>({}, { name: string, slug: string, public: boolean })

// @ts-expect-error: `slug` may be left out.
checks<CampaignUpdate>({ name: string, slug: string }, { public: boolean })

// @ts-expect-error: `public` is not a string.
checks<CampaignUpdate>({ name: string }, { slug: string, public: string })

// @ts-expect-error: `name` is a string only.
checks<CampaignUpdate>({ name: id }, { slug: string, public: boolean })

checks<{ status: 'public' | 'private' }>({ status: oneOf(['public', 'private']) }, {})

// @ts-expect-error: `status` has no value `hidden`.
checks<{ status: 'public' | 'private' }>({ status: oneOf(['public', 'hidden']) }, {})

// @ts-expect-error: `status` is not any string.
checks<{ status: 'public' | 'private' }>({ status: string }, {})

checks<PixelUpdate>({ tag: string }, { name: string })

export function send(api: Api, params: CampaignUpdate): void {
  api.put(path`/campaign/update`, { json: params, checks: update, schema: Campaign })
  // @ts-expect-error: what is sent has no checks.
  api.put(path`/campaign/update`, { json: params, schema: Campaign })
  // @ts-expect-error: the checks of a new campaign do not ask for the name that an update needs.
  api.put(path`/campaign/update`, { json: params, checks: others, schema: Campaign })
}
