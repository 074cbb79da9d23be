/** Checked by the compiler alone: the checks of a call have exactly the parameters of its type. */

import { path } from '../../src/http/path.ts'
import type { Transport } from '../../src/http/transport.ts'
import type { CampaignCreate, CampaignUpdate } from '../../src/resources/campaigns.ts'
import { campaign } from '../../src/resources/campaigns.ts'
import { boolean, checks, required, string } from '../../src/schema/checks.ts'

const update = checks<CampaignUpdate>({ name: required(string), slug: string, public: boolean })

const others = checks<CampaignCreate>({ name: string, slug: string, public: boolean })

// @ts-expect-error: `name` and `public` have no check.
checks<CampaignUpdate>({ slug: string })

// @ts-expect-error: there is no parameter `colour`.
checks<CampaignUpdate>({ name: required(string), slug: string, public: boolean, colour: string })

// @ts-expect-error: `name` must be given, so its check is a required one.
checks<CampaignUpdate>({ name: string, slug: string, public: boolean })

// @ts-expect-error: `slug` may be left out, so its check is not a required one.
checks<CampaignUpdate>({ name: required(string), slug: required(string), public: boolean })

export function send(api: Transport, params: CampaignUpdate): void {
  api.put(path`/campaign/update`, { json: params, checks: update, answer: campaign })
  // @ts-expect-error: what is sent has no checks.
  api.put(path`/campaign/update`, { json: params, answer: campaign })
  // @ts-expect-error: the checks of a new campaign do not ask for the name that an update needs.
  api.put(path`/campaign/update`, { json: params, checks: others, answer: campaign })
}
