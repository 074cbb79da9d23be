import { type Endpoints, page, refuseTakenAlias, shortUrl } from '../endpoint.ts'
import { count, date, given, host, text } from '../parameters.ts'

export const files: Endpoints = {
  // The only list whose page is at the top level.
  'GET /files': (call) => {
    const wanted = (call.query.name ?? '').toLowerCase()
    const rows = call.data.files.filter(({ name }) => name.toLowerCase().includes(wanted))
    return {
      error: '0',
      ...page(call, 'list', rows, (row) => {
        const { id, name, downloads, date } = row
        return { id, name, downloads, shorturl: shortUrl(row), date }
      }),
    }
  },

  'POST /files/upload/:filename': (call) => {
    const filename = call.params.filename!
    const wanted = given(call.query, {
      name: text,
      custom: text,
      domain: host,
      password: text,
      expiry: date,
      maxdownloads: count,
    })
    const { custom, ...options } = wanted
    const domain = options.domain || call.site
    refuseTakenAlias(call, domain, custom)
    const row = call.store.add('files', {
      ...options,
      name: options.name || filename,
      filename,
      domain,
      ...(custom ? { alias: custom } : {}),
      size: call.size,
      content: call.content,
    })
    return { error: 0, id: row.id, shorturl: shortUrl(row) }
  },
}
