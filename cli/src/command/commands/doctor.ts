import process from 'node:process'
import { clientArgs, clientOf, headerOptions } from '../client.ts'
import { command, UsageError } from '../command.ts'
import { many } from '../counts-and-times.ts'
import { authSchemes, examine, type Report } from '../doctor/verdict.ts'
import { jsonText } from '../output.ts'
import { print } from '../print.ts'
import { ProgressLine } from '../progress.ts'

const doctorNotes = `It changes nothing there: it sends about 10 GET requests of the 30 that a minute usually allows, and says how many they were.
If your key is refused, it is sent once each as Bearer KEY, Token KEY and the bare KEY. Other addresses are tried without the key.

SHORTLINK_AUTH_SCHEME says how the key is sent: Bearer, Token or raw.

Behind a proxy:                  NODE_USE_ENV_PROXY=1 HTTPS_PROXY=http://proxy.example:3128, with Node 24 or later
With a certificate of your own:  NODE_EXTRA_CA_CERTS=company.pem

The report holds no key and no contents of the account, so it can be pasted into an issue.

Exit status: 0 the client works there, 1 it does not, only in part or with other options, or that cannot be told, 2 wrong usage,
so that shortlink doctor && shortlink import links.csv is safe
`

/** The longest wait for one response, in milliseconds. */
const TIMEOUT = 15_000

/** `shortlink doctor` */
export default command(
  {
    meta: { name: 'doctor', description: 'Check that a server works with the client; changes nothing there' },
    args: {
      ...clientArgs,
      json: { type: 'boolean', description: 'print the report as JSON' },
    },
    async run({ args }) {
      const { env } = process
      const authScheme = authSchemes.find((scheme) => scheme === (env.SHORTLINK_AUTH_SCHEME || 'Bearer'))
      // It may be the key, so it is not shown.
      if (!authScheme) throw new UsageError(`SHORTLINK_AUTH_SCHEME: expected one of ${authSchemes.join(', ')}`)
      const subject = {
        baseUrl: clientOf(args).baseUrl!,
        allowInsecureHttp: args['allow-insecure-http'] ?? false,
        apiKey: env.SHORTLINK_API_KEY!,
        authScheme,
        headers: headerOptions(args),
        timeout: TIMEOUT,
      }
      const progress = new ProgressLine('requests')
      progress.begin()
      const showRequests = (done: number) => progress.show({ done, failed: 0, total: undefined, etaMs: undefined })
      const report = await examine(subject, showRequests)
      progress.end()
      const works = report.verdict === 'works'
      // Options that are not set yet are a failure of the next command.
      const json = works ? report : { error: report.text, ...report }
      await print(args.json ? `${jsonText(json, 2)}\n` : reportText(report))
      process.exitCode = works ? 0 : 1
    },
  },
  0,
  doctorNotes,
)

/** Formats a report: the verdict and what explains it, in ten lines at most. */
function reportText({ text, notes, requests }: Report): string {
  const shown = notes.length > 8 ? [...notes.slice(0, 7), `${notes.length - 7} more: --json`] : notes
  const last = `${many(requests, 'request')} sent, and nothing was changed.`
  return [text, ...[...shown, last].map((note) => `  ${note}`), ''].join('\n')
}
