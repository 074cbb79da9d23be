import process from 'node:process'
import { defineCommand } from 'citty'
import { schemeFromEnvironment } from '../http/api-key.ts'
import { runtimeFetch } from '../runtime/fetch.ts'
import { addressOf, type ClientArgs, clientArgs, requireClient } from './client.ts'
import { command } from './command.ts'
import { examine, MAX_REQUESTS } from './doctor/examine.ts'
import { print } from './doctor/print.ts'
import { reportOf } from './doctor/report.ts'
import { jsonText } from './output.ts'
import { checkWritable, writeWhole } from './write-whole.ts'

const notes = `It changes nothing there: it sends at most ${MAX_REQUESTS} requests, GET and one OPTIONS, within the rate limit. One of them has
a wrong key, to see whether keys are checked. If yours is refused, it is sent once as Bearer, Token and bare key.

The key comes from SHORTLINK_API_KEY only: an option would stay in the history of the shell. To type it in:
  read -rs SHORTLINK_API_KEY; export SHORTLINK_API_KEY
SHORTLINK_AUTH_SCHEME says how it is sent: Bearer, Token or raw.

Behind a proxy:                  NODE_USE_ENV_PROXY=1 HTTPS_PROXY=http://proxy.example:3128, with Node 24 or later
With a certificate of your own:  NODE_EXTRA_CA_CERTS=company.pem

The report holds no key and no contents of the account, so it can be pasted into an issue.

Exit status: 0 the client will work, 1 it will not, 2 wrong usage
`

/** The longest wait for one response, in milliseconds. */
const TIMEOUT = 15_000

/** `shortlink-sdk doctor` */
export const doctor = command(
  defineCommand({
    meta: {
      name: 'doctor',
      description: 'Read from a server, and say how it responds, whether the client will work, and what to do',
    },
    args: {
      ...clientArgs,
      'opener-url': { type: 'string', valueHint: 'url', description: 'the app-opener API (SHORTLINK_OPENER_URL)' },
      json: { type: 'boolean', description: 'print the report as JSON' },
      out: { type: 'string', valueHint: 'file', description: 'also write the report into a file, as JSON' },
    },
    run: ({ args }) => examineAndPrint(args),
  }),
  0,
  notes,
)

/** The options, as the command line gives them. */
interface DoctorArgs extends ClientArgs {
  readonly json?: boolean | undefined
  readonly out?: string | undefined
}

/** Examines a server, prints the report, and sets the exit status. */
async function examineAndPrint(args: DoctorArgs): Promise<void> {
  const subject = subjectOf(args)
  const { out } = args
  // Before anything is sent, so that a wrong name costs no request.
  if (out !== undefined) await checkWritable(out)
  const { stdout, stderr } = process
  const progress = (text: string) => {
    if (stderr.isTTY) stderr.write(`\r\x1b[2K${text.slice(0, Math.max(20, stderr.columns - 1))}`)
  }
  const findings = await examine({
    ...subject,
    fetch: runtimeFetch,
    timeout: TIMEOUT,
    maxRequests: MAX_REQUESTS,
    onProgress: (request, call) => progress(`Request ${request} of at most ${MAX_REQUESTS}: ${call}`),
  })
  progress('')
  const report = reportOf(findings)
  const json = `${jsonText(report, 2)}\n`
  stdout.write(args.json ? json : print(report, stdout.isTTY ? stdout.columns : undefined))
  if (out !== undefined) await writeWhole(out, json)
  process.exitCode = report.works ? 0 : 1
}

function subjectOf(args: DoctorArgs) {
  const { env } = process
  const apiKey = env.SHORTLINK_API_KEY || undefined
  const allowInsecureHttp = args['allow-insecure-http'] ?? false
  const baseUrl = addressOf(args, 'base-url', 'SHORTLINK_BASE_URL')
  const openerUrl = addressOf(args, 'opener-url', 'SHORTLINK_OPENER_URL')
  // The opener alone needs no key.
  if (baseUrl !== undefined || openerUrl === undefined) requireClient(args)
  return { baseUrl, openerUrl, apiKey, authScheme: schemeFromEnvironment(), allowInsecureHttp }
}
