import process from 'node:process'
import { clientArgs, createClient, parseHeaders } from '../client.ts'
import { defineCommand, UsageError } from '../command.ts'
import { pluralize } from '../counts-and-times.ts'
import { authSchemes, examine, type Report } from '../doctor/verdict.ts'
import { formatJson } from '../output.ts'
import { print } from '../print.ts'
import { ProgressLine } from '../progress.ts'

const doctorNotes = `It changes nothing on the server: it sends about 10 GET requests, of the usual 30 per minute, and prints how many it sent.
If your key is refused, it is sent once each as Bearer KEY, Token KEY and the bare KEY. Other addresses are tried without the key.

SHORTLINK_AUTH_SCHEME sets how the key is sent: Bearer, Token or raw.

Behind a proxy:                  NODE_USE_ENV_PROXY=1 HTTPS_PROXY=http://proxy.example:3128, with Node 24 or later
With your own certificate:       NODE_EXTRA_CA_CERTS=company.pem

The report contains neither the key nor data of the account, so you can paste it into an issue.

Exit status: 0: the client works; 1: it does not, works only partly or with other options, or the report is inconclusive; 2: wrong usage.
So 'shortlink doctor && shortlink import links.csv' imports only if the client works.
`

/** The timeout of each request, in milliseconds. */
const TIMEOUT = 15_000

export default defineCommand(
  {
    meta: {
      name: 'doctor',
      description: 'Check that a server works with this client, without changing anything',
      examples: ['shortlink doctor', 'shortlink doctor && shortlink import links.csv'],
    },
    args: {
      ...clientArgs,
      json: { type: 'boolean', description: 'print the report as JSON' },
    },
    async run({ args }) {
      const { env } = process
      const authScheme = authSchemes.find((scheme) => scheme === (env.SHORTLINK_AUTH_SCHEME || 'Bearer'))
      // An invalid value is not shown, because it may be a pasted key.
      if (!authScheme) throw new UsageError(`SHORTLINK_AUTH_SCHEME: expected one of ${authSchemes.join(', ')}`)
      const subject = {
        baseUrl: createClient(args).baseUrl!,
        allowInsecureHttp: args['allow-insecure-http'] ?? false,
        apiKey: env.SHORTLINK_API_KEY!,
        authScheme,
        headers: parseHeaders(args),
        timeout: TIMEOUT,
      }
      const progress = new ProgressLine('requests')
      progress.begin()
      const showRequests = (done: number) => progress.show({ done, failed: 0, total: undefined, etaMs: undefined })
      const report = await examine(subject, showRequests)
      progress.end()
      const works = report.verdict === 'works'
      // If options have to be set first, the next command would fail, so that is an error too.
      const json = works ? report : { error: report.text, ...report }
      await print(args.json ? `${formatJson(json, 2)}\n` : formatReport(report))
      process.exitCode = works ? 0 : 1
    },
  },
  0,
  doctorNotes,
)

/** Formats a report: the verdict and its explanation, in at most ten lines. */
function formatReport({ text, notes, requests }: Report): string {
  const shown = notes.length > 8 ? [...notes.slice(0, 7), `${notes.length - 7} more: use --json`] : notes
  const last = `${pluralize(requests, 'request')} sent, and nothing was changed.`
  return [text, ...[...shown, last].map((note) => `  ${note}`), ''].join('\n')
}
