import type { CampaignRow } from '../../data.ts'
import { type EndpointCall, type Endpoints, find, list, PlatformRefusal, remove } from '../endpoint.ts'
import { flag, given, text } from '../parameters.ts'

const parameters = { name: text, slug: text, public: flag }

export const campaigns: Endpoints = {
  'GET /campaigns': (call) =>
    list(call, 'campaigns', call.data.campaigns, (row) => {
      const { id, name, ...rest } = fields(call, row)
      // The reference: the name is under `name`, in some list items under `domain`.
      return id % 2 === 0 ? { id, domain: name, ...rest } : { id, name, ...rest }
    }),

  'POST /campaign/add': (call) => {
    const row = given(call.body, parameters)
    refuseTakenSlug(call, row.slug)
    return answer(call, call.store.add('campaigns', row))
  },

  'POST /campaign/:campaignid/assign/:linkid': ({ data, params }) => {
    const campaign = find(data.campaigns, params.campaignid, 'Campaign')
    const link = find(data.links, params.linkid, 'Link')
    if (!campaign.links.includes(link.id)) campaign.links.push(link.id)
    return { error: 0, message: 'Link successfully added to the campaign.' }
  },

  'PUT /campaign/:id/update': (call) => {
    const row = find(call.data.campaigns, call.params.id, 'Campaign')
    const changes = given(call.body, parameters, ['name'])
    refuseTakenSlug(call, changes.slug, row)
    return answer(call, Object.assign(row, changes))
  },

  'DELETE /campaign/:id/delete': ({ data, params }) => {
    remove(data.campaigns, params.id, 'Campaign')
    return { error: 0, message: 'Campaign has been deleted successfully.' }
  },
}

function fields({ site, data }: EndpointCall, { id, name, slug, public: isPublic }: CampaignRow) {
  return {
    id,
    name,
    public: isPublic,
    rotator: isPublic && slug !== '' ? `${site}/r/${encodeURIComponent(slug)}` : false,
    list: `${site}/u/${data.account.username}/list-${id}`,
  }
}

/** Create and update have the name under `domain`. */
function answer(call: EndpointCall, row: CampaignRow): object {
  const { id, name, ...rest } = fields(call, row)
  return { error: 0, id, domain: name, ...rest }
}

function refuseTakenSlug({ data }: EndpointCall, slug: string | undefined, self?: CampaignRow): void {
  if (slug && data.campaigns.some((row) => row !== self && row.slug === slug)) {
    throw new PlatformRefusal(400, 'That slug is taken. Please choose another one.')
  }
}
