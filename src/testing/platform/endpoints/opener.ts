import type { Endpoints } from '../endpoint.ts'
import { URL } from '../globals.ts'
import { oneOf, parseParameters } from '../parameters.ts'
import { PlatformRefusal, refuseIf } from '../refusal.ts'

/** Four examples. The reference says that 23 apps are supported, but names none of them. */
const apps = [
  { provider: 'YouTube', hosts: ['youtube.com', 'youtu.be'], scheme: 'youtube', android: 'com.google.android.youtube' },
  { provider: 'Instagram', hosts: ['instagram.com'], scheme: 'instagram', android: 'com.instagram.android' },
  { provider: 'TikTok', hosts: ['tiktok.com'], scheme: 'snssdk1233', android: 'com.zhiliaoapp.musically' },
  { provider: 'Spotify', hosts: ['open.spotify.com'], scheme: 'spotify', android: 'com.spotify.music' },
]

const linkStatus = oneOf('public', 'private')

/** The one endpoint of the app-opener API, with its three forms of errors. */
export const opener = {
  'POST /v3/api': ({ store, body, openerUrl }) => {
    refuseIf(body === undefined, 'URL parameter is missing')
    const { host, pathname, search, href } = parseWebAddress((body as { url?: unknown } | null)?.url)
    const app = apps.find(({ hosts }) => hosts.includes(host.replace(/^(www|m)\./, '')))
    if (!app) throw new PlatformRefusal(400, 'This URL belongs to no supported app.')

    const { status = 'private' } = parseParameters(body, { status: linkStatus })
    const { id, alias } = store.add('openerLinks', { url: href, status, provider: app.provider })
    const address = `${host}${pathname}${search}`
    const ios = `${app.scheme}://${address}`
    // Without the app, the browser opens the address.
    const intent = `scheme=https;package=${app.android};S.browser_fallback_url=${encodeURIComponent(href)};end`
    return {
      id,
      shorturl: `${openerUrl}/${alias}`,
      status,
      provider: app.provider,
      domain: openerUrl,
      devicetarget: [
        { device: 'iPhone', link: ios },
        { device: 'iPad', link: ios },
        { device: 'Android', link: `intent://${address}#Intent;${intent}` },
      ],
      'powered-by': 'Short-Link Platform',
    }
  },
} satisfies Endpoints

/** Creates the refusal of every method but POST. */
export const createMethodRefusal = (): PlatformRefusal => createTextRefusal(405, 'Method not allowed. Use POST')

function parseWebAddress(value: unknown): URL {
  const url = typeof value === 'string' && /^https?:\/\/./i.test(value) && URL.canParse(value) && new URL(value)
  if (!url) throw createTextRefusal(400, 'url is required & must be a valid URL')
  return url
}

/** Creates a refusal whose `error` is the text. */
function createTextRefusal(status: number, text: string): PlatformRefusal {
  return new PlatformRefusal(status, text, { error: text })
}
