import { describe, expect, it } from 'vitest'
import {
  hasAlias,
  isSameAddress,
  isWanted,
  lettersOf,
  pickLink,
  pickLinks,
  slugOf,
  type WantedLink,
  wantedBy,
} from '../../../../src/client/resources/links/match.ts'

describe('two aliases are the same', () => {
  it.each([
    ['Sale_May', 'sale-may'],
    ['Tea', 'tea'],
    ['café', 'cafe'],
    ['cafe\u0301', 'caf\u00e9'],
    ['İstanbul', 'istanbul'],
    ['spring sale', 'spring-sale'],
  ])('%s and %s', (one, other) => {
    expect(lettersOf(one)).toBe(lettersOf(other))
  })

  it.each([
    ['tea', 'teas'],
    ['чай', 'чаи1'],
    ['---', ''],
    ['🎉', '🎈'],
    ['お茶', 'tea'],
  ])('but not %s and %s', (one, other) => {
    expect(lettersOf(one)).not.toBe(lettersOf(other))
  })
})

it.each([
  ['Sale_May', 'sale-may'],
  ['café', 'cafe'],
  ['a - b!', 'a-b'],
  ['a-&-b', 'a-b'],
  ['---', ''],
])('the slug of %s is %s', (alias, slug) => {
  expect(slugOf(alias)).toBe(slug)
})

describe('a link has the alias that is wanted', () => {
  const link = { alias: 'öffnung', shorturl: 'https://sho.rt/%C3%B6ffnung' }

  it.each([
    ['by its short address', link.shorturl],
    ['with an address in the query', 'sho.rt/%C3%B6ffnung?to=https://shop.example'],
    ['by its alias', 'öffnung'],
    ['in another spelling', 'Offnung'],
  ])('%s', (_, asked) => {
    expect(isWanted(link, wantedBy(asked))).toBe(true)
    expect(isWanted({ ...link, alias: null }, wantedBy(asked))).toBe(true)
  })

  it('in the folder of a platform, whose alias is in the row or comes after the folder', () => {
    const inFolder = { alias: 'tea', shorturl: 'https://shop.example/s/tea' }
    expect(isWanted(inFolder, wantedBy('tea'))).toBe(true)
    expect(isWanted(inFolder, wantedBy('https://shop.example/s/tea'))).toBe(true)
    expect(hasAlias(inFolder.shorturl, 'Tea')).toBe(true)
  })

  it.each([
    ['the end of it', 'ffnung'],
    ['the same of another domain', 'https://go.example/%C3%B6ffnung'],
    ['an address in a query', 'sho.rt/?u=https://sho.rt/%C3%B6ffnung'],
  ])('but not %s', (_, asked) => {
    expect(isWanted(link, wantedBy(asked))).toBe(false)
  })

  it('as a server may have spelled it, which moves no sign', () => {
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

describe('of several links', () => {
  const links = (...aliases: string[]) => aliases.map((alias) => ({ alias, shorturl: `https://sho.rt/${alias}` }))

  it('the one that is spelled so is picked, then its slug, then the only other spelling', () => {
    expect(pickLink(links('sale-may', 'Sale_May'), { alias: 'Sale_May' })?.alias).toBe('Sale_May')
    expect(pickLink(links('SALEMAY', 'sale-may'), { alias: 'Sale_May' })?.alias).toBe('sale-may')
    expect(pickLink(links('tea', 'SALEMAY'), { alias: 'Sale_May' })?.alias).toBe('SALEMAY')
  })

  it('one of each domain is picked, or that of the domain which is named', () => {
    const tea = ['https://sho.rt/Tea', 'https://go.example/tea', 'https://sho.rt/tea', 'https://go.example/cake']
    const links = tea.map((shorturl) => ({ alias: null, shorturl }))
    const picked = (wanted: WantedLink) => pickLinks(links, wanted).map(({ shorturl }) => shorturl)
    expect(picked({ alias: 'tea' })).toEqual(['https://sho.rt/tea', 'https://go.example/tea'])
    expect(picked({ alias: 'tea', domain: 'GO.example' })).toEqual(['https://go.example/tea'])
  })

  it('none is picked if the server tells other spellings apart', () => {
    expect(pickLink(links('P_1_1', 'p.1.1'), { alias: 'p-1-1' })).toBeUndefined()
    expect(pickLink(links('sale', 'Sale'), { alias: 'SALE' })).toBeUndefined()
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
    ['no address', 'none either'],
  ])('but not %s and %s', (one, other) => {
    expect(isSameAddress(one, other)).toBe(false)
  })
})
