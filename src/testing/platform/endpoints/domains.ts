import { type Endpoints, list, remove, update } from '../endpoint.ts'
import { parseParameters, webAddress } from '../parameters.ts'
import { refuseIf } from '../refusal.ts'

const redirects = { redirectroot: webAddress, redirect404: webAddress }

export const domains = {
  'GET /domains': (call) => list(call, 'domains', call.data.domains),

  'POST /domain/add': ({ store, data, body }) => {
    const row = parseParameters(body, { domain: webAddress, ...redirects }, ['domain'])
    const isTaken = data.domains.some(({ domain }) => domain === row.domain)
    refuseIf(isTaken, 'That domain is taken.')
    // No address below `.invalid` exists (RFC 2606), so none points to the service.
    refuseIf(new URL(row.domain).hostname.endsWith('.invalid'), 'The domain must point to the service first.')
    return { error: 0, id: store.add('domains', row).id }
  },

  'PUT /domain/:id/update': update('domains', 'Domain', redirects),
  'DELETE /domain/:id/delete': remove('domains', 'Domain'),
} satisfies Endpoints
