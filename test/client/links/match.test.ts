import { describe, expect, it } from 'vitest'
import {
  hasAlias,
  isSameAddress,
  isSameAlias,
  isWanted,
  parseWanted,
  pickLink,
  pickLinks,
  toSlug,
  type WantedLink,
} from '../../../src/client/links/match.ts'

describe('isSameAlias', () => {
  const same: [string, string][] = [
    ['tea', 'tea'],
    ['Tea', 'TEA'],
    ['Sale_May', 'sale-may'],
    ['Sale_May', 'salemay'],
    ['café', 'cafe'],
    ['cafe\u0301', 'caf\u00e9'],
    ['İstanbul', 'istanbul'],
    ['spring sale', 'spring-sale'],
    ['Sale_v1.2', 'sale-v1-2'],
    ['🎉', '🎉'],
  ]
  const different: [string, string][] = [
    ['tea', 'teas'],
    ['2026-1-11', '2026-11-1'],
    ['p-11', 'p-1-1'],
    ['чай', 'чаи1'],
    ['---', ''],
    ['---', '___'],
    ['🎉', '🎈'],
    ['お茶', 'tea'],
    ['007', '7'],
    ['promo/tea', 'tea'],
  ]

  it.each(same)('%s is %s', (one, other) => {
    expect([isSameAlias(one, other), isSameAlias(other, one)]).toEqual([true, true])
  })

  it.each(different)('%s is not %s', (one, other) => {
    expect([isSameAlias(one, other), isSameAlias(other, one)]).toEqual([false, false])
  })
})

it.each([
  ['Sale_May', 'sale-may'],
  ['café', 'cafe'],
  ['a - b!', 'a-b'],
  ['a-&-b', 'a-b'],
  ['---', ''],
])('the slug of %s is %s', (alias, slug) => {
  expect(toSlug(alias)).toBe(slug)
})

describe('a link has the wanted alias', () => {
  const link = { alias: 'öffnung', shorturl: 'https://sho.rt/%C3%B6ffnung' }

  it.each([
    ['by its short address', link.shorturl],
    ['with an address in the query', 'sho.rt/%C3%B6ffnung?to=https://shop.example'],
    ['by its alias', 'öffnung'],
    ['in another spelling', 'Offnung'],
  ])('%s', (_, asked) => {
    expect(isWanted(link, parseWanted(asked))).toBe(true)
    expect(isWanted({ ...link, alias: null }, parseWanted(asked))).toBe(true)
  })

  it('in the folder of a platform: the alias is in the row, or after the folder', () => {
    const inFolder = { alias: 'tea', shorturl: 'https://shop.example/s/tea' }
    expect(isWanted(inFolder, parseWanted('tea'))).toBe(true)
    expect(isWanted(inFolder, parseWanted('https://shop.example/s/tea'))).toBe(true)
    expect(hasAlias(inFolder.shorturl, 'Tea')).toBe(true)
  })

  it.each([
    ['by the end of it', 'ffnung'],
    ['by the same alias on another domain', 'https://go.example/%C3%B6ffnung'],
    ['by an address in a query', 'sho.rt/?u=https://sho.rt/%C3%B6ffnung'],
  ])('but not %s', (_, asked) => {
    expect(isWanted(link, parseWanted(asked))).toBe(false)
  })

  it('in the spelling of a server, unless punctuation has moved', () => {
    const isFound = (alias: string, own: string) =>
      isWanted({ alias: own, shorturl: `https://sho.rt/${own}` }, { alias })
    for (const own of ['sale_v1-2', 'Sale-V12', 'salev12', 'sale-v1-2'])
      expect([own, isFound('Sale_v1.2', own)]).toEqual([own, true])
    expect(isFound('2026-11-1', '2026-1-11')).toBe(false)
    expect(isFound('p-1-1', 'p-11')).toBe(false)
    expect(isFound('p-11', 'p-1-1')).toBe(false)
  })

  it('but not at the end of another address', () => {
    for (const alias of [null, 'promo/tea']) {
      expect(isWanted({ alias, shorturl: 'https://sho.rt/promo/tea' }, { alias: 'tea' })).toBe(false)
    }
  })

  it.each([undefined, 'sho.rt', 'https://sho.rt', 'http://SHO.RT/'])('on the domain %s', (domain) => {
    expect(isWanted(link, { alias: 'öffnung', domain })).toBe(true)
  })

  it.each(['sho.rt:8443', 'rt', 'https://go.example'])('but not on the domain %s', (domain) => {
    expect(isWanted(link, { alias: 'öffnung', domain })).toBe(false)
  })
})

describe('among several links', () => {
  const links = (...aliases: string[]) => aliases.map((alias) => ({ alias, shorturl: `https://sho.rt/${alias}` }))

  it('the same spelling is preferred, then the slug, then the only other spelling', () => {
    expect(pickLink(links('sale-may', 'Sale_May'), { alias: 'Sale_May' })?.alias).toBe('Sale_May')
    expect(pickLink(links('SALEMAY', 'sale-may'), { alias: 'Sale_May' })?.alias).toBe('sale-may')
    expect(pickLink(links('tea', 'SALEMAY'), { alias: 'Sale_May' })?.alias).toBe('SALEMAY')
  })

  it('one per domain is picked, or the one on the given domain', () => {
    const tea = ['https://sho.rt/Tea', 'https://go.example/tea', 'https://sho.rt/tea', 'https://go.example/cake']
    const links = tea.map((shorturl) => ({ alias: null, shorturl }))
    const picked = (wanted: WantedLink) => pickLinks(links, wanted).map(({ shorturl }) => shorturl)
    expect(picked({ alias: 'tea' })).toEqual(['https://sho.rt/tea', 'https://go.example/tea'])
    expect(picked({ alias: 'tea', domain: 'GO.example' })).toEqual(['https://go.example/tea'])
  })

  it('no link is picked if the server has several other spellings', () => {
    expect(pickLink(links('P_1_1', 'p.1.1'), { alias: 'p-1-1' })).toBeUndefined()
    expect(pickLink(links('sale', 'Sale'), { alias: 'SALE' })).toBeUndefined()
  })
})

describe('isSameAddress', () => {
  const same: [string, string][] = [
    ['https://shop.example', 'HTTPS://Shop.example/'],
    ['https://shop.example/a', 'https://shop.example:443/a'],
    ['https://bücher.example/', 'https://xn--bcher-kva.example/'],
    ['https://shop.example/%c3%a9', 'https://shop.example/%C3%A9'],
    ['https://shop.example/%7Etea', 'https://shop.example/~tea'],
    ['https://shop.example/caf\u00e9 & tea', 'https://shop.example/cafe%CC%81%20&%20tea'],
    ['https://shop.example/?a="<b>"&b=2', 'https://shop.example/?a=&quot;&lt;b&gt;&quot;&amp;b=2'],
    ["https://shop.example/?q='tea'", 'https://shop.example/?q=&#39;tea&#39;'],
    ['https://shop.example/?href=tea', 'https://shop.example/?rel="nofollow" href=tea'],
    ['myapp://open tea', 'myapp://open%20tea'],
  ]
  const different: [string, string][] = [
    ['https://shop.example/a', 'http://shop.example/a'],
    ['https://shop.example/a', 'https://shop.example/A'],
    ['https://shop.example/a', 'https://shop.example/a/'],
    ['https://shop.example/a#menu', 'https://shop.example/a'],
    ['https://shop.example/a%2Fb', 'https://shop.example/a/b'],
    ['https://shop.example/?a=%26b', 'https://shop.example/?a=&b'],
    ['https://shop.example/?a=1+2', 'https://shop.example/?a=1%202'],
    ['https://shop.example/?a=1&b=2', 'https://shop.example/?b=2&a=1'],
    ['https://shop.example/%ff', 'https://shop.example/%fe'],
    ['https://shop.example', 'shop.example'],
  ]

  it.each(same)('%s is %s', (one, other) => {
    expect([isSameAddress(one, other), isSameAddress(other, one)]).toEqual([true, true])
  })

  it.each(different)('%s is not %s', (one, other) => {
    expect([isSameAddress(one, other), isSameAddress(other, one)]).toEqual([false, false])
  })
})
