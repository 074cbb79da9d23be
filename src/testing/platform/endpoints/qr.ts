import type { QrRow } from '../../data.ts'
import { type Endpoints, find, list, PlatformRefusal, remove, shortUrl } from '../endpoint.ts'
import { given, oneOf, rgbColor, text } from '../parameters.ts'
import { statistics } from '../visits.ts'

const qrType = oneOf('text', 'vcard', 'link', 'email', 'phone', 'sms', 'wifi')
const look = { background: rgbColor, foreground: rgbColor, logo: text }

export const qr: Endpoints = {
  'GET /qr': (call) => list(call, 'qrs', call.data.qrs, fields),

  'GET /qr/:id': ({ data, params }) => {
    const row = find(data.qrs, params.id, 'QR code')
    return { error: 0, details: fields(row), data: statistics(row.scans, row) }
  },

  'POST /qr/add': ({ store, body }) => {
    const row = store.add('qrs', given(body, { type: qrType, data: content, ...look }, ['type', 'data']))
    return { error: 0, id: row.id, link: shortUrl(row) }
  },

  'PUT /qr/:id/update': ({ data, params, body }) => {
    const row = find(data.qrs, params.id, 'QR code')
    Object.assign(row, given(body, { data: content, ...look }, ['data']))
    return { error: 0, message: 'QR has been updated successfully.' }
  },

  'DELETE /qr/:id/delete': ({ data, params }) => {
    remove(data.qrs, params.id, 'QR code')
    return { error: 0, message: 'QR Code has been deleted successfully.' }
  },
}

/** A string, or what PHP calls an array: the layouts per type are not shown. */
function content(value: unknown): unknown {
  if (typeof value === 'string' || (typeof value === 'object' && value !== null)) return value
  throw new PlatformRefusal(400, 'The parameter data must be a string or an array.')
}

function fields(row: QrRow): object {
  return { id: row.id, link: shortUrl(row), scans: row.scans, name: row.name, date: row.date }
}
