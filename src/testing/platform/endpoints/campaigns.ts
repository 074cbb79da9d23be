import type { SandboxCampaign } from '../data.ts'
import { type EndpointCall, type Endpoints, find, list, remove } from '../endpoint.ts'
import { flag, parseParameters, text } from '../parameters.ts'
import { refuseIf } from '../refusal.ts'

const parameters = { name: text, slug: text, public: flag }

export const campaigns = {
  // As in the reference, the name is under `name` in some rows and under `domain` in others.
  'GET /campaigns': (call) =>
    list(call, 'campaigns', call.data.campaigns, (row) => getFields(call, row, row.id % 2 === 0 ? 'domain' : 'name')),

  'POST /campaign/add': (call) => {
    const row = parseParameters(call.body, parameters)
    refuseTakenSlug(call, row.slug)
    return { error: 0, ...getFields(call, call.store.add('campaigns', row), 'domain') }
  },

  'POST /campaign/:campaignid/assign/:linkid': ({ data, params }) => {
    const campaign = find(data.campaigns, params.campaignid, 'Campaign')
    const link = find(data.links, params.linkid, 'Link')
    if (!campaign.links.includes(link.id)) campaign.links.push(link.id)
    return { error: 0, message: 'Link successfully added to the campaign.' }
  },

  'PUT /campaign/:id/update': (call) => {
    const row = find(call.data.campaigns, call.params.id, 'Campaign')
    const changes = parseParameters(call.body, parameters, ['name'])
    refuseTakenSlug(call, changes.slug, row)
    return { error: 0, ...getFields(call, Object.assign(row, changes), 'domain') }
  },

  'DELETE /campaign/:id/delete': remove('campaigns', 'Campaign'),
} satisfies Endpoints

function getFields({ site, data }: EndpointCall, row: SandboxCampaign, nameKey: 'name' | 'domain'): object {
  const rotator = row.public && row.slug !== '' ? `${site}/r/${encodeURIComponent(row.slug)}` : false
  const page = `${site}/u/${data.account.username}/list-${row.id}`
  return { id: row.id, [nameKey]: row.name, public: row.public, rotator, list: page }
}

function refuseTakenSlug({ data }: EndpointCall, slug = '', self?: SandboxCampaign): void {
  const isTaken = data.campaigns.some((row) => row !== self && row.slug === slug)
  refuseIf(slug !== '' && isTaken, 'That slug is taken. Please choose another one.')
}
