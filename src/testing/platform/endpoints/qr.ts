import type { SandboxQrCode } from '../data.ts'
import { type Endpoints, find, formatShortUrl, list, pick, remove, update } from '../endpoint.ts'
import { oneOf, parseParameters, rgbColor, text } from '../parameters.ts'
import { refuseIf } from '../refusal.ts'
import { createStatistics } from '../statistics.ts'

const qrType = oneOf('text', 'vcard', 'link', 'email', 'phone', 'sms', 'wifi')
const parameters = { data: checkContent, background: rgbColor, foreground: rgbColor, logo: text }

export const qr = {
  'GET /qr': (call) => list(call, 'qrs', call.data.qrs, getFields),

  'GET /qr/:id': ({ data, params }) => {
    const row = find(data.qrs, params.id, 'QR code')
    return { error: 0, details: getFields(row), data: createStatistics(row.scans, row) }
  },

  'POST /qr/add': ({ store, body }) => {
    const row = store.add('qrs', parseParameters(body, { type: qrType, ...parameters }, ['type', 'data']))
    return { error: 0, id: row.id, link: formatShortUrl(row) }
  },

  'PUT /qr/:id/update': update('qrs', 'QR', parameters, ['data']),
  'DELETE /qr/:id/delete': remove('qrs', 'QR Code'),
} satisfies Endpoints

/** Accepts a string, or what PHP calls an array. The reference does not show the layouts. */
function checkContent(value: unknown): unknown {
  const isValid = typeof value === 'string' || (typeof value === 'object' && value !== null)
  refuseIf(!isValid, 'The parameter data must be a string or an array.')
  return value
}

function getFields(row: SandboxQrCode): object {
  return { id: row.id, link: formatShortUrl(row), ...pick(row, 'scans', 'name', 'date') }
}
