import type { Sandbox } from './sandbox.ts'

interface Addresses {
  readonly baseUrl: string
  readonly openerUrl: string
}

/** Returns what `GET /` of a served sandbox responds. */
export function formatIntroduction(sandbox: Sandbox, addresses: Addresses): string {
  return `This is a mock server of the short-link platform, made with shortlink-sdk. It keeps its data in memory.

${formatAddresses(sandbox, addresses)}

Try:
${formatCurl(sandbox, addresses)}
`
}

/** Returns the addresses and the key of a served sandbox, one per line. */
export function formatAddresses({ apiKey }: Sandbox, { baseUrl, openerUrl }: Addresses): string {
  return `  Management API   ${baseUrl}
  App opener       ${openerUrl}
  API key          ${apiKey}`
}

/** Returns a shell command that reads the campaigns of a served sandbox. */
export function formatCurl({ apiKey, authScheme }: Sandbox, { baseUrl }: Addresses): string {
  const key = authScheme === 'raw' ? apiKey : `${authScheme} ${apiKey}`
  return `  curl -H ${quoteForShell(`Authorization: ${key}`)} ${quoteForShell(`${baseUrl}/campaigns`)}`
}

export const quoteForShell = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
