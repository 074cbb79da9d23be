import { describe, expect, it } from 'vitest'
import { isAt, isSameAddress, leadsTo } from '../../../src/resources/links/match.ts'

describe('a link is at', () => {
  const link = { alias: 'öffnung', shorturl: 'https://sho.rt/%C3%B6ffnung' }

  it.each([
    ['its short address', link.shorturl],
    ['its short address without the scheme', 'sho.rt/%C3%B6ffnung'],
    ['its short address in capitals, without the scheme', 'SHO.RT/%C3%B6ffnung'],
    [
      'its short address without the scheme, with an address in its query',
      'sho.rt/%C3%B6ffnung?to=https://shop.example',
    ],
    ['its short address with another scheme in capitals', 'HTTP://sho.rt/%C3%B6ffnung'],
    ['its short address with a slash at the end', 'https://sho.rt/%C3%B6ffnung/'],
    ['its alias', 'öffnung'],
  ])('%s', (_, asked) => {
    expect(isAt(link, asked)).toBe(true)
    expect(isAt({ ...link, alias: null }, asked)).toBe(true)
  })

  it('its alias, even if its short address does not hold it', () => {
    expect(isAt({ alias: 'a', shorturl: 'https://sho.rt/?a' }, 'a')).toBe(true)
  })

  it.each([
    ['another alias', 'ffnung'],
    ['the same alias of another domain', 'https://go.example/%C3%B6ffnung'],
    ['an address in its query', 'sho.rt/?u=https://sho.rt/%C3%B6ffnung'],
  ])('no place that is %s', (_, asked) => {
    expect(isAt(link, asked)).toBe(false)
  })

  it('what the server calls its address, though it is none', () => {
    expect(isAt({ alias: null, shorturl: 'not: an address' }, 'not: an address')).toBe(true)
    expect(isAt({ alias: null, shorturl: 'not: an address' }, 'nor: this')).toBe(false)
  })
})

describe('a link leads to its address', () => {
  const longurl = 'https://shop.example/'
  const link = { alias: null, shorturl: 'https://sho.rt:8443/x', longurl }

  it.each([undefined, 'sho.rt:8443', 'https://sho.rt:8443', 'http://SHO.RT:8443/'])('from its domain: %s', (domain) => {
    expect(leadsTo(link, 'https://shop.example', domain)).toBe(true)
  })

  it.each(['sho.rt', 'rt:8443', 'https://go.example'])('from no other domain: %s', (domain) => {
    expect(leadsTo(link, longurl, domain)).toBe(false)
  })

  it('and to no other address, nor to one that is not known', () => {
    expect(leadsTo(link, 'https://shop.example/tea', undefined)).toBe(false)
    expect(leadsTo({ ...link, longurl: null }, longurl, undefined)).toBe(false)
  })
})

describe('two addresses are the same', () => {
  it.each([
    ['https://shop.example', 'HTTPS://Shop.example/'],
    ['https://shop.example/a', 'https://shop.example:443/a'],
    ['no address', 'no address'],
  ])('%s and %s', (one, other) => {
    expect(isSameAddress(one, other)).toBe(true)
  })

  it.each([
    ['https://shop.example/a', 'https://shop.example/A'],
    ['https://shop.example', 'no address'],
    ['no address', 'https://shop.example'],
    ['no address', 'none either'],
  ])('but not %s and %s', (one, other) => {
    expect(isSameAddress(one, other)).toBe(false)
  })
})
