import { canParseUrl } from '../../runtime/environment.ts'

/** The short address of a link. */
interface Place {
  readonly alias: string | null
  readonly shorturl: string
}

/** Whether a link has this short address or alias. */
export function isAt({ alias, shorturl }: Place, addressOrAlias: string): boolean {
  if (alias === addressOrAlias) return true
  const place = hostAndPath(shorturl)
  return place === hostAndPath(addressOrAlias) || place.endsWith(`/${encodeURIComponent(addressOrAlias)}`)
}

/** Whether a link belongs to a domain, which may be given without its scheme. */
function isOnDomain({ shorturl }: Place, domain: string): boolean {
  return hostAndPath(shorturl).split('/')[0] === hostAndPath(domain).split('/')[0]
}

/** Whether two URLs are equal after normalization: `https://Shop.example` is `https://shop.example/`. */
export function isSameAddress(one: string, other: string): boolean {
  return one === other || (canParseUrl(one) && canParseUrl(other) && new URL(one).href === new URL(other).href)
}

/** Whether a link leads to a URL, from a domain if one is given. */
export function leadsTo(link: Place & { longurl: string | null }, url: string, domain: string | undefined): boolean {
  return link.longurl !== null && isSameAddress(link.longurl, url) && (!domain || isOnDomain(link, domain))
}

/** The normalized host and path of a URL. Anything else stays as it is. */
function hostAndPath(address: string): string {
  const url = /^https?:\/\//i.test(address) ? address : `https://${address}`
  if (!canParseUrl(url)) return address
  const { host, pathname } = new URL(url)
  return host + pathname.replace(/\/$/, '')
}

/** What to ask for: the alias, or its whole address if the domain is known. */
export function addressOf(alias: string, domain: string | undefined): string {
  return domain ? `${domain.replace(/\/$/, '')}/${encodeURIComponent(alias)}` : alias
}

/** The last alias that `onTaken: 'suffix'` tries ends with this number. */
const LAST_SUFFIX = 10

/** The aliases that may be tried, in order: the one that was wanted, and with `onTaken: 'suffix'` its variations. */
export function candidates<Alias extends string | undefined>(
  alias: Alias,
  onTaken: 'suffix' | undefined,
): (Alias | string)[] {
  if (onTaken === undefined) return [alias]
  return [alias, ...Array.from({ length: LAST_SUFFIX - 1 }, (_, index) => `${alias}-${index + 2}`)]
}
