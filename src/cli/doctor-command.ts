import { open } from 'node:fs/promises'
import process from 'node:process'
import { parseArgs } from 'node:util'
import { ConfigurationError } from '../errors.ts'
import { parseAddress } from '../http/address.ts'
import { ApiKey } from '../http/api-key.ts'
import { runtimeFetch } from '../runtime/fetch.ts'
import { type Command, UsageError } from './command.ts'
import { examine } from './doctor/examine.ts'
import { plainLines, table } from './doctor/print.ts'
import { reportOf } from './doctor/report.ts'
import { MAX_REQUESTS } from './doctor/wire.ts'

const help = `Usage: shortlink-sdk doctor [options]

Reads from a deployment of the platform, and says how it answers, whether the client will work with it, and what to do.
It changes nothing there: it sends at most ${MAX_REQUESTS} requests, GET and one OPTIONS, within the rate limit. One of them has
a wrong key, to see whether keys are checked.

Options:
  --base-url <url>       the management API      (SHORTLINK_BASE_URL)
  --opener-url <url>     the app-opener API      (SHORTLINK_OPENER_URL)
  --json <file>          write the report as JSON; - writes it to stdout, and nothing else
  --allow-insecure-http  send the key over http: to another machine
  --help                 print this text

The key is taken from SHORTLINK_API_KEY only: as an option, it would stand in the history of the shell. To type it in:
  read -rs SHORTLINK_API_KEY; export SHORTLINK_API_KEY

Behind a proxy:                  NODE_USE_ENV_PROXY=1 HTTPS_PROXY=http://proxy.example:3128, with Node 24 or later
With a certificate of your own:  NODE_EXTRA_CA_CERTS=company.pem

The report holds no key and no contents of the account, so it can be pasted into an issue.

Exit status: 0 the client will work, 1 it will not, 2 wrong usage
`

/** The most that an answer may take, in milliseconds. */
const TIMEOUT = 15_000

/** `shortlink-sdk doctor` */
export const doctor: Command = {
  help,
  async run(args) {
    if (args.some((arg) => /^--(api-?)?key\b/i.test(arg))) {
      throw new UsageError(
        'there is no option for the key, because it would stand in the history of the shell: set SHORTLINK_API_KEY',
      )
    }
    const { values } = parseArgs({
      args,
      options: {
        'base-url': { type: 'string' },
        'opener-url': { type: 'string' },
        json: { type: 'string' },
        'allow-insecure-http': { type: 'boolean', default: false },
      },
    })
    const allowInsecureHttp = values['allow-insecure-http']
    const { SHORTLINK_BASE_URL, SHORTLINK_OPENER_URL, SHORTLINK_API_KEY } = process.env
    const subject = checked(() => {
      const key = SHORTLINK_API_KEY ? new ApiKey(SHORTLINK_API_KEY, undefined) : undefined
      const address = (option: 'base-url' | 'opener-url', variable: string, set: string | undefined) => {
        const given = values[option] ?? (set || undefined)
        const name = values[option] === undefined ? variable : `--${option}`
        return given === undefined
          ? undefined
          : parseAddress(name, given, allowInsecureHttp, (text) => key?.redact(text) ?? text)
      }
      return {
        baseUrl: address('base-url', 'SHORTLINK_BASE_URL', SHORTLINK_BASE_URL),
        openerUrl: address('opener-url', 'SHORTLINK_OPENER_URL', SHORTLINK_OPENER_URL),
        apiKey: SHORTLINK_API_KEY || undefined,
      }
    })
    if (subject.baseUrl === undefined && subject.openerUrl === undefined) {
      throw new UsageError('no address: set SHORTLINK_BASE_URL, or --base-url https://sho.rt/api')
    }
    if (subject.baseUrl !== undefined && subject.apiKey === undefined)
      throw new UsageError('no key: set SHORTLINK_API_KEY')

    const file = values.json === undefined || values.json === '-' ? undefined : await openFile(values.json)
    try {
      const progress = progressLine(process.stderr)
      const findings = await examine({
        ...subject,
        allowInsecureHttp,
        fetch: runtimeFetch,
        timeout: TIMEOUT,
        onProgress: progress.show,
      })
      progress.clear()
      const report = reportOf(findings)
      const json = `${JSON.stringify(report, null, 2)}\n`
      if (values.json === '-') process.stdout.write(json)
      else process.stdout.write(process.stdout.isTTY ? table(report, process.stdout.columns) : plainLines(report))
      await file?.writeFile(json)
      process.exitCode = report.works ? 0 : 1
    } finally {
      await file?.close()
    }
  },
}

/** What the client refuses of the settings is wrong usage of the command. */
function checked<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw error instanceof ConfigurationError ? new UsageError(error.message) : error
  }
}

/** Opens the file before anything is sent, so that a wrong name costs no request. */
async function openFile(path: string) {
  try {
    return await open(path, 'w')
  } catch (error) {
    throw new UsageError(`--json: ${(error as Error).message}`)
  }
}

/** A line on a terminal that says what is asked now; nothing in a pipe. */
function progressLine({ isTTY, columns }: Pick<typeof process.stderr, 'isTTY' | 'columns'>) {
  const write = (text: string) => {
    if (isTTY) process.stderr.write(`\r\x1b[2K${text.slice(0, Math.max(20, columns - 1))}`)
  }
  return {
    show: (request: number, call: string) => write(`Request ${request} of at most ${MAX_REQUESTS}: ${call}`),
    clear: () => write(''),
  }
}
