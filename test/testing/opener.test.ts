import { createSandbox } from 'shortlink-sdk/testing'
import { expect, test } from 'vitest'

const { fetch, openerUrl } = createSandbox()
const open = async (url: string) => {
  const body = JSON.stringify({ url })
  const headers = { 'Content-Type': 'application/json' }
  return (await fetch(`${openerUrl}/v3/api`, { method: 'POST', headers, body })).json()
}

test.each([
  ['YouTube', 'https://www.youtube.com/watch?v=a_1', 'youtube://', 'com.google.android.youtube'],
  ['YouTube', 'https://m.youtube.com/watch?v=a_1', 'youtube://', 'com.google.android.youtube'],
  ['YouTube', 'https://youtu.be/a_1', 'youtube://', 'com.google.android.youtube'],
  ['Instagram', 'https://www.instagram.com/shop', 'instagram://', 'com.instagram.android'],
  ['TikTok', 'https://www.tiktok.com/@a/video/72', 'snssdk1233://', 'com.zhiliaoapp.musically'],
  ['Spotify', 'https://open.spotify.com/track/4uL', 'spotify://', 'com.spotify.music'],
])('the app opener finds the app %s for %s, with a target for each device', async (provider, url, scheme, android) => {
  const answer = await open(url)
  const address = url.replace('https://', '')
  const intent = `scheme=https;package=${android};S.browser_fallback_url=${encodeURIComponent(url)};end`
  expect(answer.provider).toBe(provider)
  expect(answer.devicetarget).toEqual([
    { device: 'iPhone', link: scheme + address },
    { device: 'iPad', link: scheme + address },
    { device: 'Android', link: `intent://${address}#Intent;${intent}` },
  ])
})

test.each(['https://www.google.com/search?q=tea', 'https://notyoutube.com/', 'https://youtube.com.shop.example/'])(
  '%s belongs to no app',
  async (url) => expect(await open(url)).toEqual({ error: 1, message: 'This URL belongs to no supported app.' }),
)
