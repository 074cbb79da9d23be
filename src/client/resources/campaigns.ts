import type * as z from 'zod/v4/mini'
import { boolean, defineChecks, nonEmptyString, string } from '../checks/checks.ts'
import type { PageQuery } from '../definition.ts'
import type { ApiPromise } from '../http/api-promise.ts'
import type { ListPromise } from '../http/list.ts'
import type { RequestOptions } from '../http/request-options.ts'
import { defineCall, defineList } from '../platform/define.ts'
import { renameFields } from '../platform/prepare.ts'
import {
  flag,
  flagIfSent,
  integer,
  object,
  text,
  textIfSent,
  textOrFalse,
  textOrFalseIfSent,
} from '../platform/values.ts'
import { ActionResult, type Id, Resource } from './resource.ts'

/** Campaigns: groups of links. The rotator of a campaign redirects to one of its links. */
export class CampaignsResource extends Resource {
  /**
   * Lists the campaigns of the account: GET `/campaigns`.
   *
   * The name is under `name` in some rows and under `domain` in others.
   *
   * @example
   * for await (const { id, name } of client.campaigns.list()) console.log(id, name)
   */
  list(query?: PageQuery, options?: RequestOptions): ListPromise<Campaign> {
    return this.api.list(calls.list, { query }, options)
  }

  /**
   * Creates a campaign: POST `/campaign/add`.
   *
   * The response has the name under `domain`; some servers have it under `campaign`. `rotator` is `false` if the
   * campaign has no public rotator. Only `id` is always present.
   *
   * @example
   * const { id, rotator } = await client.campaigns.create({ name: 'Opening day', slug: 'opening', public: true })
   * console.log(id, rotator)
   *
   * @throws {InvalidRequestError} if a parameter has the wrong type; nothing is sent
   * @throws {ApiError} if the slug is taken
   */
  create(params: CampaignCreate, options?: RequestOptions): ApiPromise<CreatedCampaign> {
    return this.api.call(calls.create, { body: params }, options)
  }

  /**
   * Assigns a link to a campaign: POST `/campaign/:campaignid/assign/:linkid`.
   *
   * The request has no body.
   *
   * @example
   * const { id } = await client.campaigns.create({ name: 'Opening day' })
   * const { message } = await client.campaigns.assignLink(id, 1)
   * console.log(message)
   *
   * @throws {NotFoundError} if there is no such campaign or link
   */
  assignLink(campaignId: Id, linkId: Id, options?: RequestOptions): ApiPromise<ActionResult> {
    return this.api.call(calls.assignLink, { path: { campaignid: campaignId, linkid: linkId } }, options)
  }

  /**
   * Updates a campaign: PUT `/campaign/:id/update`. The name is required.
   *
   * The response has the name under `domain`; some servers have it under `campaign`. Only `id` is always present.
   *
   * @example
   * const campaign = await client.campaigns.update(3, { name: 'Closing day', public: false })
   * console.log(campaign.name, campaign.public)
   *
   * @throws {InvalidRequestError} if the name is missing, or a parameter has the wrong type; nothing is sent
   * @throws {NotFoundError} if there is no such campaign
   * @throws {ApiError} if the slug is taken
   */
  update(id: Id, params: CampaignUpdate, options?: RequestOptions): ApiPromise<CreatedCampaign> {
    return this.api.call(calls.update, { path: { id }, body: params }, options)
  }

  /**
   * Deletes a campaign: DELETE `/campaign/:id/delete`. Its links are kept.
   *
   * @example
   * const { message } = await client.campaigns.delete(3)
   * console.log(message)
   *
   * @throws {NotFoundError} if there is no such campaign
   */
  delete(id: Id, options?: RequestOptions): ApiPromise<ActionResult> {
    return this.api.call(calls.delete, { path: { id } }, options)
  }
}

const campaignCreate = /* @__PURE__ */ defineChecks<CampaignCreate>({}, { name: string, slug: string, public: boolean })

const campaignUpdate = /* @__PURE__ */ defineChecks<CampaignUpdate>(
  { name: nonEmptyString },
  { slug: string, public: boolean },
)

/** A campaign. */
export interface Campaign extends z.infer<typeof Campaign> {}

export const Campaign = /* @__PURE__ */ object({
  id: integer,
  /** The name. Also read from `domain` or `campaign`. */
  name: text,
  /** Whether the campaign is public. */
  public: flag,
  /** The URL of the rotator, built from the slug; `false` if the campaign has no public one. */
  rotator: textOrFalse,
  /** The URL of the campaign's list page. */
  list: text,
})

export const prepareCampaign = /* @__PURE__ */ renameFields<Campaign>({ name: ['domain', 'campaign'] })

/** The result of creating or updating a campaign. Only `id` is always present. */
export interface CreatedCampaign extends z.infer<typeof CreatedCampaign> {}

export const CreatedCampaign = /* @__PURE__ */ object({
  id: integer,
  /** The name. Also read from `domain` or `campaign`. */
  name: textIfSent,
  /** Whether the campaign is public. */
  public: flagIfSent,
  /** The URL of the rotator, built from the slug; `false` if the campaign has no public one. */
  rotator: textOrFalseIfSent,
  /** The URL of the campaign's list page. */
  list: textIfSent,
})

/** Parameters for creating a campaign. */
export interface CampaignCreate {
  name?: string | undefined
  /** The slug of the rotator's URL. */
  slug?: string | undefined
  /** Whether the campaign is public. */
  public?: boolean | undefined
}

/** Parameters for updating a campaign. The name is required. */
export interface CampaignUpdate extends CampaignCreate {
  name: string
}

/** The calls of this file's methods, by method. */
export const calls = {
  list: /* @__PURE__ */ defineList('GET /campaigns', { listKey: 'campaigns', row: Campaign, prepare: prepareCampaign }),
  create: /* @__PURE__ */ defineCall('POST /campaign/add', {
    body: campaignCreate,
    result: CreatedCampaign,
    prepare: prepareCampaign,
  }),
  assignLink: /* @__PURE__ */ defineCall('POST /campaign/:campaignid/assign/:linkid', {
    argumentNames: { campaignid: 'campaignId', linkid: 'linkId' },
    result: ActionResult,
  }),
  update: /* @__PURE__ */ defineCall('PUT /campaign/:id/update', {
    body: campaignUpdate,
    result: CreatedCampaign,
    prepare: prepareCampaign,
  }),
  delete: /* @__PURE__ */ defineCall('DELETE /campaign/:id/delete', { result: ActionResult }),
}
