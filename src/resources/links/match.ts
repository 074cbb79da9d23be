import { canParseUrl } from '../../runtime/url.ts'

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
export function isOnDomain({ shorturl }: Place, domain: string): boolean {
  return hostAndPath(shorturl).split('/')[0] === hostAndPath(domain).split('/')[0]
}

/** Whether two URLs are equal after normalization: `https://Shop.example` is `https://shop.example/`. */
export function isSameAddress(one: string, other: string): boolean {
  return one === other || (canParseUrl(one) && canParseUrl(other) && new URL(one).href === new URL(other).href)
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
