import process from 'node:process'
import { parseArgs } from 'node:util'
import { ConfigurationError } from '../errors.ts'
import { parseAddress } from '../http/address.ts'
import { ApiKey, schemeFromEnvironment } from '../http/api-key.ts'
import { runtimeFetch } from '../runtime/fetch.ts'
import { type Command, noKeyOption, UsageError } from './command.ts'
import { examine, MAX_REQUESTS } from './doctor/examine.ts'
import { print } from './doctor/print.ts'
import { reportOf } from './doctor/report.ts'
import { checkWritable, writeWhole } from './write-whole.ts'

const help = `Usage: shortlink-sdk doctor [options]

Reads from a server, and says how it responds, whether the client will work with it, and what to do.
It changes nothing there: it sends at most ${MAX_REQUESTS} requests, GET and one OPTIONS, within the rate limit. One of them has
a wrong key, to see whether keys are checked. If yours is refused, it is sent once as Bearer, Token and bare key.

Options:
  --base-url <url>       the management API      (SHORTLINK_BASE_URL)
  --opener-url <url>     the app-opener API      (SHORTLINK_OPENER_URL)
  --json <file>          write the report as JSON; - writes it to stdout, and nothing else
  --allow-insecure-http  send the key over http: to another machine
  --help                 print this text

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

/** Options of the doctor, as the command line gives them. */
export interface DoctorOptions {
  readonly 'base-url'?: string | undefined
  readonly 'opener-url'?: string | undefined
  readonly json?: string | undefined
  readonly 'allow-insecure-http'?: boolean | undefined
}

/** `shortlink-sdk doctor` */
export const doctor: Command = {
  help,
  async run(args) {
    if (args.some((arg) => /^--(api-?)?key\b/i.test(arg))) {
      throw new UsageError(noKeyOption)
    }
    const options = {
      'base-url': { type: 'string' },
      'opener-url': { type: 'string' },
      json: { type: 'string' },
      'allow-insecure-http': { type: 'boolean' },
    } as const
    await runDoctor(parseArgs({ args, options }).values)
  },
}

/** Examines a server, prints the report, and sets the exit status. */
export async function runDoctor(options: DoctorOptions): Promise<void> {
  const subject = checked(() => subjectOf(options))
  const { json: file } = options
  const isWritten = file !== undefined && file !== '-'
  // Before anything is sent, so that a wrong name costs no request.
  if (isWritten) await checkWritable('json', file)
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
  const json = `${JSON.stringify(report, null, 2)}\n`
  stdout.write(file === '-' ? json : print(report, stdout.isTTY ? stdout.columns : undefined))
  if (isWritten) await writeWhole(file, json)
  process.exitCode = report.works ? 0 : 1
}

function subjectOf(options: DoctorOptions) {
  const { SHORTLINK_BASE_URL, SHORTLINK_OPENER_URL, SHORTLINK_API_KEY } = process.env
  const allowInsecureHttp = options['allow-insecure-http'] ?? false
  const key = SHORTLINK_API_KEY ? new ApiKey(SHORTLINK_API_KEY, undefined) : undefined
  const redact = (text: string) => key?.redact(text) ?? text
  const address = (option: 'base-url' | 'opener-url', variable: string, set: string | undefined) => {
    const given = options[option] ?? (set || undefined)
    const name = options[option] === undefined ? variable : `--${option}`
    return given === undefined ? undefined : parseAddress(name, given, allowInsecureHttp, redact)
  }
  const baseUrl = address('base-url', 'SHORTLINK_BASE_URL', SHORTLINK_BASE_URL)
  const openerUrl = address('opener-url', 'SHORTLINK_OPENER_URL', SHORTLINK_OPENER_URL)
  if (baseUrl === undefined && openerUrl === undefined) {
    throw new UsageError('no address: set SHORTLINK_BASE_URL, or --base-url https://sho.rt/api')
  }
  if (baseUrl !== undefined && !key) throw new UsageError('no key: set SHORTLINK_API_KEY')
  const apiKey = SHORTLINK_API_KEY || undefined
  return { baseUrl, openerUrl, apiKey, authScheme: schemeFromEnvironment(), allowInsecureHttp }
}

/** What the client refuses of the settings is wrong usage of the command. */
function checked<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw error instanceof ConfigurationError ? new UsageError(error.message) : error
  }
}
