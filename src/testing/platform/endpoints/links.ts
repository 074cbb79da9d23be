import type { LinkRow } from '../../data/rows.ts'
import { type Endpoints, find, list, refuseTakenAlias, remove, shortUrl } from '../endpoint.ts'
import { given, text, webAddress } from '../parameters.ts'

/** The links section, which the reference does not show: as the public documentation of deployments has it. */
export const links: Endpoints = {
  'GET /urls': (call) => list(call, 'urls', call.data.links.map(fields)),

  'GET /url/:id': ({ data, params }) => {
    const row = find(data.links, params.id, 'Link')
    return { error: 0, id: row.id, details: fields(row), data: { clicks: row.clicks } }
  },

  'POST /url/add': (call) => {
    const { custom, ...options } = given(
      call.body,
      { url: webAddress, custom: text, domain: webAddress, title: text },
      ['url'],
    )
    const domain = options.domain || call.site
    refuseTakenAlias(call, domain, custom)
    const row = call.store.add('links', {
      title: options.url,
      ...options,
      domain,
      ...(custom ? { alias: custom } : {}),
    })
    return { error: 0, id: row.id, shorturl: shortUrl(row) }
  },

  'PUT /url/:id/update': (call) => {
    const row = find(call.data.links, call.params.id, 'Link')
    const { custom, ...changes } = given(call.body, { url: webAddress, custom: text, title: text })
    if (custom && custom !== row.alias) {
      refuseTakenAlias(call, row.domain, custom)
      row.alias = custom
    }
    Object.assign(row, changes)
    return { error: 0, id: row.id, shorturl: shortUrl(row) }
  },

  'DELETE /url/:id/delete': ({ data, params }) => {
    const { id } = remove(data.links, params.id, 'Link')
    for (const campaign of data.campaigns) campaign.links = campaign.links.filter((link) => link !== id)
    return { error: 0, message: 'Link has been deleted successfully.' }
  },
}

function fields(row: LinkRow): object {
  const { id, alias, title, url, clicks, date } = row
  return { id, alias, shorturl: shortUrl(row), longurl: url, title, clicks, date }
}
