import { flat } from '../answers/open.ts'
import { readActionResult, readCampaign } from '../answers/readers.ts'
import type { ApiPromise } from '../http/api-promise.ts'
import type { ListOptions, ListPromise, PageQuery } from '../http/pagination.ts'
import { path } from '../http/path.ts'
import type { Transport } from '../http/transport.ts'
import type { RequestOptions } from '../options.ts'
import { boolean, type Checks, string } from '../schema/params.ts'
import type { ActionResult } from './results.ts'

/** Campaigns: groups of links, with a rotator that leads to one of them. @see reference, “Campaigns” */
export class CampaignsResource {
  readonly #api: Transport

  /** @internal */
  constructor(api: Transport) {
    this.#api = api
  }

  /** The campaigns of the account. @see reference, “Campaigns”: GET `/campaigns` */
  list(query?: PageQuery, options?: ListOptions): ListPromise<Campaign> {
    return this.#api.list({ path: path`/campaigns`, listKeys: ['campaigns'], read: readCampaign }, query, options)
  }

  /** Makes a campaign. @see reference, “Campaigns”: POST `/campaign/add` */
  create(params: CampaignCreate, options?: RequestOptions): ApiPromise<Campaign> {
    return this.#api.call(
      { method: 'POST', path: path`/campaign/add`, json: params, checks, open: flat(readCampaign) },
      options,
    )
  }

  /** Puts a link into a campaign. @see reference, “Campaigns”: POST `/campaign/:campaignid/assign/:linkid` */
  assignLink(campaignId: number, linkId: number, options?: RequestOptions): ApiPromise<ActionResult> {
    return this.#api.call(
      { method: 'POST', path: path`/campaign/${{ campaignId }}/assign/${{ linkId }}`, open: flat(readActionResult) },
      options,
    )
  }

  /** Changes a campaign. @see reference, “Campaigns”: PUT `/campaign/:id/update` */
  update(id: number, params: CampaignUpdate, options?: RequestOptions): ApiPromise<Campaign> {
    return this.#api.call(
      {
        method: 'PUT',
        path: path`/campaign/${{ id }}/update`,
        json: params,
        checks,
        required: ['name'],
        open: flat(readCampaign),
      },
      options,
    )
  }

  /** Deletes a campaign. @see reference, “Campaigns”: DELETE `/campaign/:id/delete` */
  delete(id: number, options?: RequestOptions): ApiPromise<ActionResult> {
    return this.#api.call(
      { method: 'DELETE', path: path`/campaign/${{ id }}/delete`, open: flat(readActionResult) },
      options,
    )
  }
}

const checks: Checks = { name: string, slug: string, public: boolean }

/** A campaign. @see reference, “Campaign” */
export interface Campaign {
  id: number
  /** The name, wherever the server put it. */
  name: string
  /** Whether everybody may see it. */
  public: boolean
  /** The address of the rotator, made of the slug; `false` where the campaign has no public one. */
  rotator: string | false
  /** The address of the campaign's list page. */
  list: string
}

/** A campaign to make. */
export interface CampaignCreate {
  name?: string
  /** The slug of the rotator. */
  slug?: string
  /** Whether everybody may see it. */
  public?: boolean
}

/** What can be changed about a campaign; the name must be given. */
export interface CampaignUpdate extends CampaignCreate {
  name: string
}
