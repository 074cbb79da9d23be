import { createPage, type Endpoints, formatShortUrl, refuseTakenAlias } from '../endpoint.ts'
import { count, date, host, parseParameters, text } from '../parameters.ts'

const parameters = { name: text, custom: text, domain: host, password: text, expiry: date, maxdownloads: count }

export const files = {
  // The only list whose page is at the top level.
  'GET /files': (call) => {
    const wanted = (call.query.name ?? '').toLowerCase()
    const rows = call.data.files.filter(({ name }) => name.toLowerCase().includes(wanted))
    const shown = createPage(call, 'list', rows, (row) => {
      const { id, name, downloads, date } = row
      return { id, name, downloads, shorturl: formatShortUrl(row), date }
    })
    return { error: '0', ...shown }
  },

  'POST /files/upload/:filename': (call) => {
    const filename = call.params.filename!
    const content = call.body as Uint8Array
    const { custom, ...options } = parseParameters(call.query, parameters)
    const domain = options.domain || call.site
    refuseTakenAlias(call, domain, custom)
    const row = call.store.add('files', {
      ...options,
      ...{ name: options.name || filename, filename, domain, content, size: content.length },
      ...(custom && { alias: custom }),
    })
    return { error: 0, id: row.id, shorturl: formatShortUrl(row) }
  },
} satisfies Endpoints
