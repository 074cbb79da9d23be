import { findSimilarName } from '../../../../src/client/runtime/similar-name.ts'
import { parameterNames } from '../../tasks/rows.ts'

/** Column names in the exports of other programs, in lower case and without spaces and punctuation. */
export const otherNames: Readonly<Record<string, string>> = {
  ...mapNames('url', 'longurl destination destinationurl originalurl target linkto'),
  ...mapNames('custom', 'alias customalias slug keyword backhalf slashtag shortcode path key custombitlink'),
  ...mapNames(
    'expiry',
    'expires expiresat expireson expireat expiration expirationdate expirydate expiredate validuntil',
  ),
  ...mapNames('password', 'linkpassword'),
  ...mapNames('metatitle', 'ogtitle'),
  ...mapNames('metadescription', 'ogdescription'),
  ...mapNames('metaimage', 'ogimage'),
  ...mapNames('devicetarget.iPhone', 'iphone iphoneurl iphonelink iphonetarget'),
  ...mapNames('devicetarget.iPad', 'ipad ipadurl ipadlink ipadtarget'),
  ...mapNames('devicetarget.iOS', 'ios iosurl ioslink iostarget'),
  ...mapNames('devicetarget.Android', 'android androidurl androidlink androidtarget'),
}

function mapNames(parameter: string, names: string): Record<string, string> {
  return Object.fromEntries(names.split(' ').map((name) => [name, parameter]))
}

/** Returns a name in lower case and without spaces and punctuation. */
export const normalizeName = (name: string): string =>
  name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')

/** The UTM parameters that web analytics evaluate. */
const utmNames = [
  'utm_source',
  'utm_medium',
  'utm_campaign',
  'utm_term',
  'utm_content',
  'utm_id',
  'utm_source_platform',
  'utm_creative_format',
  'utm_marketing_tactic',
]

/** Returns the known UTM parameter that a column name stands for, or almost does. */
export const findSimilarUtmName = (name: string): string | undefined => findSimilarName(normalizeName(name), utmNames)

/** Returns the name of the UTM parameter of a column, such as `utm_source` for `UTM Source`, if it is one. */
export function toUtmName(name: string): string | undefined {
  const text = normalizeName(name)
  if (!/^utm./.test(text)) return undefined
  const known = utmNames.find((other) => normalizeName(other) === text)
  const words = name
    .trim()
    .slice('utm'.length)
    .replace(/(?<=\p{Ll})(?=\p{Lu})/gu, '_')
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
  return known ?? `utm_${words.join('_').toLowerCase()}`
}

/**
 * Returns the parameter of a link that a column name stands for. An unknown UTM parameter keeps its name, unless it is
 * close to a known one. An address for one device is a parameter such as `devicetarget.Android`, and the address of an app
 * store is `deeplink.apple` or `deeplink.google`.
 */
export function findParameter(name: string): string | undefined {
  const text = normalizeName(name)
  const utmName = toUtmName(name)
  if (utmName !== undefined) return [utmName, undefined].includes(findSimilarUtmName(name)) ? utmName : undefined
  if (/^devicetarget(iphone|ipad|ios|android)$/.test(text)) return otherNames[text.slice('devicetarget'.length)]
  const [, store] = /^deeplink(apple|google)$/.exec(text) ?? []
  if (store) return `deeplink.${store}`
  return parameterNames.includes(text) ? text : Object.hasOwn(otherNames, text) ? otherNames[text] : undefined
}

/** Column names that may stand for the alias, or a short address that ends with it. */
const aliasName =
  /alias|slug|keyword|vanity|backhalf|bitlink|tinyurl|short(url|link|id|name)|custom(url|link|name)|^(link|short|code|hash)$/

/** Returns whether a column may contain the alias, or a short address that ends with it. */
export const mayBeAlias = (name: string): boolean =>
  findParameter(name) === 'custom' || aliasName.test(normalizeName(name))

/** Returns whether a column name stands for a boolean, such as `is_custom` or `hasPassword`. */
export const isBooleanName = (name: string): boolean =>
  /^([Ii]s|[Hh]as|[Ww]as)(?=[A-Z_\s-])|^(IS|HAS|WAS)[_\s-]/.test(name)

const targetNames = 'url|link|target|targeting|redirect|destination'

/** What a column that must not be ignored silently may be. */
interface Meaning {
  /** The parameters that it may be. Links have none if the list is empty. */
  readonly parameters: readonly string[]
  /** The values of `--map` that send plain cells, and not objects in JSON. */
  readonly plainParameters: readonly string[]
  /** Whether this is its meaning only if its cells are addresses. */
  readonly isAddress?: boolean
}

const limitsVisits: Meaning = { parameters: [], plainParameters: [] }

const mayBe = (parameter: string, plainParameters = [parameter]): Meaning => ({
  parameters: [parameter],
  plainParameters,
})

const mayBeStore = (device: string, store: string): Meaning => ({
  parameters: ['devicetarget', 'deeplink'],
  plainParameters: [`devicetarget.${device}`, `deeplink.${store}`],
  isAddress: true,
})

/**
 * Column names that must not be ignored silently, because links without their values would behave differently. Each
 * with its meaning: `undefined` if the column can be ignored after all.
 */
const meanings: readonly (readonly [RegExp, Meaning | undefined])[] = [
  [/expir.*(clicks|visits|uses|views)|(clicks?|visits?|uses?|views?)(limit|max)|valid(from|since)/, limitsVisits],
  [/(limit|max)(imum)?(number)?(of)?(clicks|visits|uses|views)/, limitsVisits],
  // Statistics can be ignored.
  [/(clicks?|visits?|scans?|views?|count|total)$/, undefined],
  [/expir|valid(to|thru|through|till|until)|^(ends?(at|on|date)|ttl|gültigbis|ablauf(s?datum)?)$/, mayBe('expiry')],
  [/pass(word|wort|code|phrase|wd)|^pwd$|motdepasse/, mayBe('password')],
  [new RegExp(`^(apple|(apple)?(app)?store)(${targetNames})?$`), mayBeStore('iOS', 'apple')],
  [new RegExp(`^(google|(google)?play(store)?)(${targetNames})?$`), mayBeStore('Android', 'google')],
  [new RegExp(`(ios|iphone|ipad|apple|mac)s?(${targetNames})s?$`), mayBe('devicetarget', ['devicetarget.iOS'])],
  [
    new RegExp(`(android|mobile|tablet|desktop|windows|device)s?(${targetNames})s?$`),
    mayBe('devicetarget', ['devicetarget.Android']),
  ],
  [new RegExp(`^geo$|(geo|country|region|location)s?(${targetNames})s?$`), mayBe('geotarget', [])],
  [new RegExp(`language(${targetNames})s?$`), mayBe('languagetarget', [])],
]

/** Returns the meaning of a column that must not be ignored silently, or `undefined` if it can be ignored. */
export const findMeaning = (name: string): Meaning | undefined =>
  meanings.find(([pattern]) => pattern.test(normalizeName(name)))?.[1]
