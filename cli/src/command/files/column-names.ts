import { parameterNames } from '../../tasks/rows.ts'

/** The names that exports of other programs have, without case, spaces and signs. */
export const otherNames: Readonly<Record<string, string>> = {
  ...named('url', 'longurl destination destinationurl originalurl target linkto'),
  ...named('custom', 'alias customalias slug keyword backhalf slashtag shortcode path key custombitlink'),
  ...named('expiry', 'expires expiresat expireson expireat expiration expirationdate expirydate expiredate validuntil'),
  ...named('password', 'linkpassword'),
  ...named('metatitle', 'ogtitle'),
  ...named('metadescription', 'ogdescription'),
  ...named('metaimage', 'ogimage'),
  ...named('devicetarget.iPhone', 'iphone iphoneurl iphonelink iphonetarget'),
  ...named('devicetarget.iPad', 'ipad ipadurl ipadlink ipadtarget'),
  ...named('devicetarget.iOS', 'ios iosurl ioslink iostarget'),
  ...named('devicetarget.Android', 'android androidurl androidlink androidtarget'),
}

function named(parameter: string, names: string): Record<string, string> {
  return Object.fromEntries(names.split(' ').map((name) => [name, parameter]))
}

/** Returns a name without case, spaces and signs. */
export const plain = (name: string): string =>
  name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')

/**
 * Returns the parameter of a link that a name means. The parameters of UTM keep their names, and an address for one
 * device is `devicetarget.Android`.
 */
export function parameterOf(name: string): string | undefined {
  const text = plain(name)
  if (/^utm./.test(text)) return `utm_${text.slice(3)}`
  if (/^devicetarget(iphone|ipad|ios|android)$/.test(text)) return otherNames[text.slice('devicetarget'.length)]
  return parameterNames.includes(text) ? text : Object.hasOwn(otherNames, text) ? otherNames[text] : undefined
}

/** The names of columns that have the alias, or a short address that ends in it. */
const aliasName =
  /alias|slug|keyword|vanity|backhalf|bitlink|tinyurl|short(url|link|id|name)|custom(url|link|name)|^(link|short|code|hash)$/

/** Returns whether a column may have the alias, or a short address that ends in it. */
export const mayBeAlias = (name: string): boolean => parameterOf(name) === 'custom' || aliasName.test(plain(name))

/** Returns whether a name asks a question, such as `is_custom` and `hasPassword`. */
export const isQuestion = (name: string): boolean =>
  /^([Ii]s|[Hh]as|[Ww]as)(?=[A-Z_\s-])|^(IS|HAS|WAS)[_\s-]/.test(name)

const targetNames = 'url|link|target|targeting|redirect|destination'

/** The names of columns for what a link cannot lack unnoticed, by the parameter for it, if there is one. */
const meanings: readonly (readonly [RegExp, string | undefined])[] = [
  [/expir.*(clicks|visits|uses|views)|(clicks?|visits?|uses?|views?)(limit|max)|valid(from|since)/, undefined],
  [/(limit|max)(imum)?(number)?(of)?(clicks|visits|uses|views)/, undefined],
  // Statistics.
  [/(clicks?|visits?|scans?|views?|count|total)$/, ''],
  [/expir|valid(to|thru|through|till|until)|^(ends?(at|on|date)|ttl|gültigbis|ablauf(s?datum)?)$/, 'expiry'],
  [/pass(word|wort|code|phrase|wd)|^pwd$|motdepasse/, 'password'],
  [
    new RegExp(`(ios|iphone|ipad|apple|android|mobile|tablet|desktop|windows|mac|device)s?(${targetNames})s?$`),
    'devicetarget',
  ],
  [new RegExp(`^geo$|(geo|country|region|location)s?(${targetNames})s?$`), 'geotarget'],
  [new RegExp(`language(${targetNames})s?$`), 'languagetarget'],
]

/**
 * Returns what a column means that must not be left out in silence, if it does. `parameter` is `undefined` if a link
 * has none for it.
 */
export function meaningOf(name: string): { readonly parameter: string | undefined } | undefined {
  const [, parameter] = meanings.find(([pattern]) => pattern.test(plain(name))) ?? [undefined, '']
  return parameter === '' ? undefined : { parameter }
}
