import { createSandbox } from 'shortlink-sdk/testing'
import { expect, test } from 'vitest'

const { fetch, openerUrl } = createSandbox()
const open = async (url: string) => {
  const body = JSON.stringify({ url })
  const headers = { 'Content-Type': 'application/json' }
  return (await fetch(`${openerUrl}/v3/api`, { method: 'POST', headers, body })).json()
}

/** The link that each app documents, or is known to take, on iPhone and iPad. */
const links: [provider: string, url: string, ios: string, android: string][] = [
  [
    'YouTube',
    'https://www.youtube.com/watch?v=a_1',
    'youtube://www.youtube.com/watch?v=a_1',
    'com.google.android.youtube',
  ],
  ['YouTube', 'https://youtu.be/a_1', 'youtube://watch?v=a_1', 'com.google.android.youtube'],
  ['Instagram', 'https://www.instagram.com/shop', 'instagram://user?username=shop', 'com.instagram.android'],
  ['Instagram', 'https://www.instagram.com/p/BAA/', 'instagram://media?id=4096', 'com.instagram.android'],
  ['TikTok', 'https://www.tiktok.com/@a/video/72', 'snssdk1233://aweme/detail/72', 'com.zhiliaoapp.musically'],
  [
    'Facebook',
    'https://facebook.com/shop',
    'fb://facewebmodal/f?href=https%3A%2F%2Ffacebook.com%2Fshop',
    'com.facebook.katana',
  ],
  ['Messenger', 'https://m.me/shop', 'fb-messenger://user-thread/shop', 'com.facebook.orca'],
  ['WhatsApp', 'https://wa.me/15550100?text=Hi', 'whatsapp://send?text=Hi&phone=15550100', 'com.whatsapp'],
  ['Telegram', 'https://t.me/shop/12', 'tg://resolve?domain=shop&post=12', 'org.telegram.messenger'],
  ['Telegram', 'https://t.me/shop', 'tg://resolve?domain=shop', 'org.telegram.messenger'],
  ['X', 'https://x.com/shop', 'twitter://user?screen_name=shop', 'com.twitter.android'],
  ['X', 'https://twitter.com/shop/status/9', 'twitter://status?id=9', 'com.twitter.android'],
  ['Threads', 'https://www.threads.net/@shop', 'barcelona://user?username=shop', 'com.instagram.barcelona'],
  ['LinkedIn', 'https://www.linkedin.com/in/ann', 'linkedin://in/ann', 'com.linkedin.android'],
  ['Snapchat', 'https://www.snapchat.com/add/ann', 'snapchat://add/ann', 'com.snapchat.android'],
  ['Pinterest', 'https://www.pinterest.com/pin/5/', 'pinterest://pin/5', 'com.pinterest'],
  ['Reddit', 'https://www.reddit.com/r/tea/', 'reddit:///r/tea/', 'com.reddit.frontpage'],
  ['Spotify', 'https://open.spotify.com/track/4uL', 'spotify:track:4uL', 'com.spotify.music'],
  [
    'Apple Music',
    'https://music.apple.com/us/album/1',
    'music://music.apple.com/us/album/1',
    'com.apple.android.music',
  ],
  ['Deezer', 'https://www.deezer.com/track/3', 'deezer://www.deezer.com/track/3', 'deezer.android.app'],
  ['Twitch', 'https://www.twitch.tv/ann', 'twitch://stream/ann', 'tv.twitch.android.app'],
  ['Vimeo', 'https://vimeo.com/76', 'vimeo://app.vimeo.com/videos/76', 'com.vimeo.android.videoapp'],
  ['Netflix', 'https://www.netflix.com/title/80', 'nflx://www.netflix.com/title/80', 'com.netflix.mediaclient'],
  [
    'Amazon',
    'https://www.amazon.com/dp/B0',
    'com.amazon.mobile.shopping.web://www.amazon.com/dp/B0',
    'com.amazon.mShop.android.shopping',
  ],
  ['Etsy', 'https://www.etsy.com/listing/8/tea', 'etsy://listing/8', 'com.etsy.android'],
  ['Airbnb', 'https://www.airbnb.com/rooms/2?adults=1', 'airbnb://rooms/2?adults=1', 'com.airbnb.android'],
  [
    'Google Maps',
    'https://www.google.com/maps/@1,2,3z',
    'comgooglemapsurl://www.google.com/maps/@1,2,3z',
    'com.google.android.apps.maps',
  ],
]

test('the opener knows 23 apps', () => {
  expect(new Set(links.map(([provider]) => provider)).size).toBe(23)
})

test.each(links)('%s: %s opens in its app', async (provider, url, ios, android) => {
  const answer = await open(url)
  expect(answer.provider).toBe(provider)
  const { host, pathname, search, href } = new URL(url)
  expect(answer.devicetarget).toEqual([
    { device: 'iPhone', link: ios },
    { device: 'iPad', link: ios },
    {
      device: 'Android',
      link: `intent://${host}${pathname}${search}#Intent;scheme=https;package=${android};S.browser_fallback_url=${encodeURIComponent(href)};end`,
    },
  ])
})

test.each(['https://www.google.com/search?q=tea', 'https://notyoutube.com/', 'https://youtube.com.shop.example/'])(
  '%s belongs to no app',
  async (url) => expect(await open(url)).toEqual({ error: 1, message: 'This URL belongs to no supported app.' }),
)
