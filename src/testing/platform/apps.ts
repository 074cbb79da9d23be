/** An app that the opener can open. */
interface App {
  readonly provider: string
  /** Hosts of its web addresses, without `www.`. */
  readonly hosts: readonly string[]
  /** The link that opens the address in the app on iPhone and iPad. */
  readonly ios: (url: URL) => string
  /** Android package of the app. */
  readonly android: string
}

/** One target of `devicetarget`. */
interface AppTarget {
  device: 'iPhone' | 'iPad' | 'Android'
  link: string
}

/** The reference gives the number of apps but not their names: these are 23 popular ones. */
const apps: readonly App[] = [
  {
    provider: 'YouTube',
    hosts: ['youtube.com', 'm.youtube.com', 'youtu.be'],
    ios: (url) => (host(url) === 'youtu.be' ? `youtube://watch?v=${part(url, 0)}` : underScheme('youtube', url)),
    android: 'com.google.android.youtube',
  },
  { provider: 'Instagram', hosts: ['instagram.com'], ios: instagram, android: 'com.instagram.android' },
  {
    provider: 'TikTok',
    hosts: ['tiktok.com', 'vm.tiktok.com'],
    ios: (url) => {
      const video = /\/video\/(\d+)/.exec(url.pathname)?.[1]
      return video ? `snssdk1233://aweme/detail/${video}` : `snssdk1233://webview?url=${encodeURIComponent(url.href)}`
    },
    android: 'com.zhiliaoapp.musically',
  },
  {
    provider: 'Facebook',
    hosts: ['facebook.com', 'm.facebook.com', 'fb.com'],
    ios: (url) => `fb://facewebmodal/f?href=${encodeURIComponent(url.href)}`,
    android: 'com.facebook.katana',
  },
  {
    provider: 'Messenger',
    hosts: ['m.me', 'messenger.com'],
    ios: (url) => `fb-messenger://user-thread/${part(url, host(url) === 'm.me' ? 0 : 1)}`,
    android: 'com.facebook.orca',
  },
  {
    provider: 'WhatsApp',
    hosts: ['wa.me', 'api.whatsapp.com'],
    ios: (url) => {
      const query = new URLSearchParams(url.search)
      if (host(url) === 'wa.me') query.set('phone', part(url, 0))
      return `whatsapp://send?${query}`
    },
    android: 'com.whatsapp',
  },
  {
    provider: 'Telegram',
    hosts: ['t.me', 'telegram.me'],
    ios: (url) => `tg://resolve?domain=${part(url, 0)}${part(url, 1) && `&post=${part(url, 1)}`}`,
    android: 'org.telegram.messenger',
  },
  {
    provider: 'X',
    hosts: ['x.com', 'twitter.com', 'mobile.twitter.com'],
    ios: (url) =>
      part(url, 1) === 'status' ? `twitter://status?id=${part(url, 2)}` : `twitter://user?screen_name=${part(url, 0)}`,
    android: 'com.twitter.android',
  },
  {
    provider: 'Threads',
    hosts: ['threads.net', 'threads.com'],
    ios: (url) =>
      part(url, 1) === 'post'
        ? `barcelona://media?shortcode=${part(url, 2)}`
        : `barcelona://user?username=${part(url, 0).replace('@', '')}`,
    android: 'com.instagram.barcelona',
  },
  {
    provider: 'LinkedIn',
    hosts: ['linkedin.com'],
    ios: (url) => `linkedin:/${url.pathname}`,
    android: 'com.linkedin.android',
  },
  {
    provider: 'Snapchat',
    hosts: ['snapchat.com'],
    ios: (url) => `snapchat:/${url.pathname}`,
    android: 'com.snapchat.android',
  },
  {
    provider: 'Pinterest',
    hosts: ['pinterest.com', 'pin.it'],
    ios: (url) => (part(url, 0) === 'pin' ? `pinterest://pin/${part(url, 1)}` : `pinterest://user/${part(url, 0)}`),
    android: 'com.pinterest',
  },
  {
    provider: 'Reddit',
    hosts: ['reddit.com', 'old.reddit.com'],
    ios: (url) => `reddit://${url.pathname}`,
    android: 'com.reddit.frontpage',
  },
  {
    provider: 'Spotify',
    hosts: ['open.spotify.com'],
    ios: (url) => `spotify${url.pathname.replaceAll('/', ':')}`,
    android: 'com.spotify.music',
  },
  {
    provider: 'Apple Music',
    hosts: ['music.apple.com'],
    ios: (url) => underScheme('music', url),
    android: 'com.apple.android.music',
  },
  {
    provider: 'Deezer',
    hosts: ['deezer.com'],
    ios: (url) => underScheme('deezer', url),
    android: 'deezer.android.app',
  },
  {
    provider: 'Twitch',
    hosts: ['twitch.tv', 'm.twitch.tv'],
    ios: (url) => (part(url, 0) === 'videos' ? `twitch://video/v${part(url, 1)}` : `twitch://stream/${part(url, 0)}`),
    android: 'tv.twitch.android.app',
  },
  {
    provider: 'Vimeo',
    hosts: ['vimeo.com'],
    ios: (url) => `vimeo://app.vimeo.com/videos/${part(url, 0)}`,
    android: 'com.vimeo.android.videoapp',
  },
  {
    provider: 'Netflix',
    hosts: ['netflix.com'],
    ios: (url) => underScheme('nflx', url),
    android: 'com.netflix.mediaclient',
  },
  {
    provider: 'Amazon',
    hosts: ['amazon.com', 'amazon.co.uk', 'amazon.de', 'amazon.fr'],
    ios: (url) => underScheme('com.amazon.mobile.shopping.web', url),
    android: 'com.amazon.mShop.android.shopping',
  },
  {
    provider: 'Etsy',
    hosts: ['etsy.com'],
    ios: (url) => (part(url, 0) === 'listing' ? `etsy://listing/${part(url, 1)}` : `etsy:/${url.pathname}`),
    android: 'com.etsy.android',
  },
  {
    provider: 'Airbnb',
    hosts: ['airbnb.com'],
    ios: (url) => `airbnb:/${url.pathname}${url.search}`,
    android: 'com.airbnb.android',
  },
  {
    provider: 'Google Maps',
    hosts: ['maps.google.com', 'google.com', 'maps.app.goo.gl'],
    ios: (url) => underScheme('comgooglemapsurl', url),
    android: 'com.google.android.apps.maps',
  },
]

/** The app for this address. `google.com` is one only below `/maps`. */
export function appOf(url: URL): App | undefined {
  if (host(url) === 'google.com' && part(url, 0) !== 'maps') return undefined
  return apps.find(({ hosts }) => hosts.includes(host(url)))
}

export function deviceTargets(app: App, url: URL): AppTarget[] {
  const ios = app.ios(url)
  return [
    { device: 'iPhone', link: ios },
    { device: 'iPad', link: ios },
    { device: 'Android', link: intent(app.android, url) },
  ]
}

/** An Android intent. Without the app, the browser opens the address. */
function intent(android: string, url: URL): string {
  const fallback = encodeURIComponent(url.href)
  return `intent://${url.host}${url.pathname}${url.search}#Intent;scheme=https;package=${android};S.browser_fallback_url=${fallback};end`
}

function host(url: URL): string {
  return url.hostname.replace(/^www\./, '')
}

/** A segment of the path, from 0; `''` past the end. */
function part(url: URL, index: number): string {
  return url.pathname.split('/').filter(Boolean)[index] ?? ''
}

function underScheme(scheme: string, url: URL): string {
  return `${scheme}://${url.host}${url.pathname}${url.search}`
}

/** Instagram's app takes the number of a post; the code in an address is that number in base 64. */
function instagram(url: URL): string {
  if (!['p', 'reel', 'tv'].includes(part(url, 0))) return `instagram://user?username=${part(url, 0)}`
  const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  const number = [...part(url, 1)].reduce((sum, digit) => sum * 64n + BigInt(Math.max(0, digits.indexOf(digit))), 0n)
  return `instagram://media?id=${number}`
}
