import { type Endpoints, find, list, PlatformRefusal, remove } from '../endpoint.ts'
import { given, redirect, webAddress } from '../parameters.ts'

export const domains: Endpoints = {
  'GET /domains': (call) => list(call, 'domains', call.data.domains),

  'POST /domain/add': ({ store, data, body }) => {
    const row = given(body, { domain: webAddress, redirectroot: redirect, redirect404: redirect }, ['domain'])
    if (data.domains.some(({ domain }) => domain === row.domain))
      throw new PlatformRefusal(400, 'That domain is taken.')
    // No address below `.invalid` exists (RFC 2606), so none points to the service.
    if (new URL(row.domain).hostname.endsWith('.invalid')) {
      throw new PlatformRefusal(400, 'The domain must point to the service first.')
    }
    return { error: 0, id: store.add('domains', row).id }
  },

  'PUT /domain/:id/update': ({ data, params, body }) => {
    const row = find(data.domains, params.id, 'Domain')
    Object.assign(row, given(body, { redirectroot: redirect, redirect404: redirect }))
    return { error: 0, message: 'Domain has been updated successfully.' }
  },

  'DELETE /domain/:id/delete': ({ data, params }) => {
    remove(data.domains, params.id, 'Domain')
    return { error: 0, message: 'Domain has been deleted successfully.' }
  },
}
