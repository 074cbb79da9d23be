import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'

/** The style sheet of the page for addresses that lead nowhere, which stands in the page because no address from there is certain. */
const [, notFoundStyles = ''] = /<style>([\s\S]*?)<\/style>/.exec(
  readFileSync(new URL('../public/404.html', import.meta.url), 'utf8'),
)!

/** The Content-Security-Policy of every page: its scripts and styles are files of the site, and it reaches no other server. */
export const pagePolicy = policy({
  'default-src': "'self'",
  'script-src': "'self'",
  'worker-src': "'self'",
  'style-src': `'self' 'sha256-${createHash('sha256').update(notFoundStyles).digest('base64')}'`,
  'img-src': "'self' data:",
  'font-src': "'self'",
  'connect-src': "'self'",
  'object-src': "'none'",
  'base-uri': "'none'",
  'form-action': "'none'",
})

/**
 * The policy of the worker that runs examples, which has its own: it imports the example, which stands at a blob: address,
 * and reaches no server at all.
 */
export const workerPolicy = policy({ 'default-src': "'none'", 'script-src': "'self' blob:" })

/** The address of that worker. */
export const workerPath = '/run/worker.js'

/** The same for a host that reads a file `_headers`. */
export function hostHeaders(): string {
  const common = ['X-Content-Type-Options: nosniff', 'Referrer-Policy: same-origin']
  const lines = (path: string, headers: string[]) => [path, ...headers.map((header) => `  ${header}`)].join('\n')
  const everywhere = lines('/*', [`Content-Security-Policy: ${pagePolicy}; frame-ancestors 'none'`, ...common])
  const worker = lines(workerPath, ['! Content-Security-Policy', `Content-Security-Policy: ${workerPolicy}`])
  return `${everywhere}\n${worker}\n`
}

function policy(directives: Record<string, string>): string {
  return Object.entries(directives)
    .map(([name, value]) => `${name} ${value}`)
    .join('; ')
}
