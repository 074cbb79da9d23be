import type { ShortLinkClient } from 'shortlink-sdk'
import { describe, expect, it } from 'vitest'
import { connect } from '../../helpers/client.ts'

const { links }: ShortLinkClient = connect({ origin: 'https://sho.rt' })

describe('the `url` of a link', () => {
  it.each([
    'https://shop.example',
    'HTTPS://shop.example/caf\u00e9 menu',
    'https://shop.example/?to=https://other.example/a, https',
    'com.example.shop://open',
    'com.googleusercontent.apps.1234:/oauth2redirect',
    'sip:1000',
    'facetime:112',
    'smsto:12345',
    'callto:112',
    'myapp://open',
    'tel:+15551234',
    'mailto:ann@shop.example',
    'youtube://youtu.be/aqz',
    'intent://youtu.be/aqz#Intent;scheme=https;end',
    'market://details?id=com.example',
    'ftp://shop.example',
    'sms:12345',
    'htp.example.app:/oauth2redirect',
    'https://shop.example./a..b,c?d..e,f',
    'https://ann:p,w..@shop.example',
    'https://https.example/http://x',
    'http://https:8080/a',
    'https://go.example/?to=htps://shop.example',
    // A joiner between letters that need it, and within an emoji.
    'https://shop.example/\u0646\u0645\u06cc\u200c\u062f\u0627\u0646\u0645',
    'https://shop.example/\u{1f469}\u200d\u{1f373}',
  ])('is %s, also as a target', (url) => {
    expect(links.check({ url })).toEqual([])
    expect(links.check({ url: 'https://shop.example', devicetarget: [{ device: 'ios', link: url }] })).toEqual([])
  })

  it.each([
    'shop.example:8080',
    'localhost:3000/x',
    'shop.example/tea',
    '//shop.example',
    'javascript',
    'http://',
    'https:///x',
    'javascript:alert(1)',
    'JavaScript:alert(1)',
    'data:text/html,hi',
    'vbscript:x',
    'https://shop.example/\u200btea',
    'https://shop.example/tea\u200e',
    'https://shop.example/te\u200da',
    '\ufeffhttps://shop.example',
    'https://shop.example/a https://shop.example/b',
    'https://shop.example/a\nhttps://shop.example/b',
  ])('is not %j', (url) => {
    expect(links.check({ url }).map(({ path }) => path)).toEqual([['url']])
    const devicetarget = [{ device: 'ios', link: url }]
    expect(links.check({ url: 'https://shop.example', devicetarget })).toMatchObject([
      { path: ['devicetarget'], message: expect.stringContaining('entry 1: link is ') },
    ])
  })
})

describe('an address that leads nowhere', () => {
  const { opener }: ShortLinkClient = connect({ origin: 'https://sho.rt' })

  it.each([
    ['htps://shop.example/a', 'https://shop.example/a'],
    ['ttps://shop.example/a', 'https://shop.example/a'],
    ['HTTSP://shop.example/a', 'https://shop.example/a'],
    ['httpss://shop.example/a', 'https://shop.example/a'],
    ['hhttp://shop.example/a', 'https://shop.example/a'],
    ['htp:/shop.example/a', 'http://shop.example/a'],
    ['https:shop.example/a', 'https://shop.example/a'],
    ['https//shop.example/a', 'https://shop.example/a'],
    ['https://https://shop.example/a', 'https://shop.example/a'],
    ['http://https//shop.example/a', 'https://shop.example/a'],
    ['HTTP://HTTP://shop.example/a', 'http://shop.example/a'],
    ['https://www.https://shop.example/a', 'https://shop.example/a'],
    ['https://https://https://shop.example/a', 'https://shop.example/a'],
  ])('%s is refused with the address that was meant', (url, meant) => {
    expect(links.check({ url })).toMatchObject([
      {
        path: ['url'],
        message: expect.stringMatching(new RegExp(`received ${JSON.stringify(url)}: did you mean ${meant}\\?$`)),
      },
    ])
  })

  it.each([
    'C:\\Users\\ann\\a.html',
    'c:/a.html',
    'file:///C:/a.html',
    'blob:https://shop.example/0',
    'about:blank',
    'view-source:https://shop.example/a',
    'https://shop..example/a',
    'https://.shop.example/a',
    'https://shop.example../a',
    'https://ann@shop..example',
    'https://shop,example/a',
  ])('%s is refused', (url) => {
    expect(links.check({ url })).toMatchObject([
      { path: ['url'], message: expect.stringMatching(/, received .*: visitors cannot open it$/) },
    ])
  })

  it.each(['https://https://shop.example/a', 'C:\\a.html', 'https://shop,example/a'])(
    '%s is refused by every creation, as a target and as a URL object',
    async (url) => {
      const creations = [
        links.create({ url }),
        links.create({ url: new URL(url) }),
        links.ensure({ url, custom: 'a' }),
        links.update(1, { url }),
        links.create({ url: 'https://shop.example', devicetarget: [{ device: 'iPhone', link: url }] }),
        links.create({ url: 'https://shop.example', geotarget: [{ location: 'Germany', link: url }] }),
        links.create({ url: 'https://shop.example', languagetarget: [{ language: 'de', link: url }] }),
        opener.create({ url }),
      ]
      for (const creation of creations) {
        expect(await creation.safe()).toMatchObject({
          ok: false,
          error: { code: 'invalid_request', outcome: 'not-sent' },
        })
      }
    },
  )
})

it('the parameters of a new link are checked without sending anything', () => {
  expect(links.check({ url: 'https://shop.example', custom: 'tea', expiry: '2027-02-30 12:00:00' })).toEqual([
    { path: ['expiry'], message: expect.stringContaining('received "2027-02-30 12:00:00"'), code: 'invalid' },
  ])
  expect(links.check({ custom: 'tea' } as never)).toMatchObject([
    { path: ['url'], message: expect.stringContaining('is missing') },
  ])
  expect(links.check({ url: 'https://shop.example', costum: 'tea' } as never)).toMatchObject([
    { path: ['costum'], message: 'unknown parameter, did you mean custom?' },
  ])
})
