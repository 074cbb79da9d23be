import { canParseUrl } from './environment.ts'

/** Returns the alias in a short address, which is its whole path; `null` if there is none. */
export function parseAlias(shorturl: string): string | null {
  const { pathname = '' } = parseShort(shorturl) ?? {}
  return decodePath(pathname.replace(/^\/|\/$/g, '')) || null
}

/** Parses a short address or a domain, with or without a scheme. */
export function parseShort(address: unknown): URL | undefined {
  // With `validation: 'report'`, the value may have any type.
  if (typeof address !== 'string') return undefined
  const url = /^https?:\/\//i.test(address) ? address : `https://${address}`
  return canParseUrl(url) ? new URL(url) : undefined
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
