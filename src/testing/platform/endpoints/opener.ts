import { appOf, deviceTargets } from '../apps.ts'
import { type EndpointCall, PlatformRefusal } from '../endpoint.ts'
import { given, oneOf } from '../parameters.ts'

const linkStatus = oneOf('public', 'private')

/** `POST {opener_url}/v3/api`, the one endpoint of the app-opener API, with its three error shapes. */
export function opener(method: string, { store, body, openerUrl }: EndpointCall): object {
  if (method !== 'POST') throw said(405, 'Method not allowed. Use POST')
  if (body === undefined) throw new PlatformRefusal(400, 'URL parameter is missing')

  const address = webAddress((body as { url?: unknown } | null)?.url)
  const app = appOf(address)
  if (!app) throw new PlatformRefusal(400, 'This URL belongs to no supported app.')

  const { status = 'private' } = given(body, { status: linkStatus })
  const { id, alias } = store.add('openerLinks', { url: address.href, status, provider: app.provider })
  return {
    id,
    shorturl: `${openerUrl}/${alias}`,
    status,
    provider: app.provider,
    domain: openerUrl,
    devicetarget: deviceTargets(app, address),
    'powered-by': 'Short-Link Platform',
  }
}

function webAddress(value: unknown): URL {
  const url = typeof value === 'string' && /^https?:\/\/./i.test(value) && URL.canParse(value) && new URL(value)
  if (!url) throw said(400, 'url is required & must be a valid URL')
  return url
}

/** A refusal whose `error` is the text. */
function said(status: number, text: string): PlatformRefusal {
  return new PlatformRefusal(status, text, { error: text })
}
