import { spawn } from 'node:child_process'
import { once } from 'node:events'
import process from 'node:process'
import { parseArgs } from 'node:util'
import { version } from '../../package.json'
import { ConfigurationError } from '../client/errors.ts'
import { findSimilarName } from '../client/runtime/similar-name.ts'
import { createSandbox, type Sandbox, type SandboxDialect, sampleData } from './index.ts'
import { formatAddresses, formatCurl, quoteForShell } from './introduction.ts'
import { createAndServe, type SandboxServer } from './server.ts'

const help = `Start a mock server of the short-link platform on this machine

Usage: shortlink-sandbox [options] [-- COMMAND…]

Options:
  --port <n>         the port, 0 for any free one; default: 4010, with COMMAND 0
  --host <address>   the address to listen on; default: 127.0.0.1
  --key <key>        the API key; default: sandbox-key
  --dialect <name>   reference, deployed, or a comma-separated list; default: reference
  --rows <n>         rows in every list; default: 3
  --rate-limit <n>   requests a minute, or off; default: 30
  --chaos <share>    share of requests that fail, from 0 to 1; default: 0
  --seed <n>         seed for --chaos; default: 1
  --quiet            print no line per request
  --help             print this text
  --version          print the version

With COMMAND, as in \`shortlink-sandbox -- node first.mjs\`, runs it with the variables set
that a client reads, and ends with its exit code. Without it, prints a line per request to
standard error.`

const options = {
  port: { type: 'string' },
  host: { type: 'string', default: '127.0.0.1' },
  key: { type: 'string', default: 'sandbox-key' },
  dialect: { type: 'string', default: 'reference' },
  rows: { type: 'string', default: '3' },
  'rate-limit': { type: 'string', default: '30' },
  chaos: { type: 'string', default: '0' },
  seed: { type: 'string', default: '1' },
  quiet: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
} as const

/** An invalid command line. The exit status is 2. */
class UsageError extends Error {}

/**
 * Runs `shortlink-sandbox` with the arguments after its name. Returns the exit status, or `undefined` while the server
 * runs and after COMMAND, whose status was set.
 */
export async function runSandboxCommand(args: string[]): Promise<number | undefined> {
  try {
    return await start(args)
  } catch (error) {
    const isUsage = error instanceof UsageError
    console.error(`shortlink-sandbox: ${(error as Error).message}`)
    if (isUsage) console.error("'shortlink-sandbox --help' lists the options.")
    return isUsage ? 2 : 1
  }
}

async function start(args: string[]): Promise<number | undefined> {
  const end = args.includes('--') ? args.indexOf('--') : args.length
  const [program, ...programArgs] = args.slice(end + 1)
  const values = parseOptions(args.slice(0, end))
  if (values.help) return print(help)
  if (values.version) return print(version)
  if (end < args.length && program === undefined) throw new UsageError('there is no command after --')

  const { host, key, dialect, 'rate-limit': limit } = values
  const requests = limit === 'off' ? 0 : parseWhole('rate-limit', limit, 1, 1_000_000, ', or off')
  const data = sampleData(parseWhole('rows', values.rows, 0, 1_000_000))
  const rate = parseNumber('chaos', values.chaos, 0, 1)
  const seed = parseWhole('seed', values.seed, 0, 2 ** 53)
  const port = parseWhole('port', values.port ?? (program === undefined ? '4010' : '0'), 0, 65_535)
  const log = program === undefined && !values.quiet ? (line: string) => console.error(line) : undefined
  const rateLimit = requests > 0 && { requests }
  const { sandbox, server } = await createAndServe(
    (addresses) => createPlatform(dialect, { ...addresses, apiKey: key, rateLimit, data }),
    { port, host, log },
  )
  sandbox.chaos({ rate, seed })
  if (program === undefined) {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void server.close())
    console.log(formatGreeting(sandbox, server))
    return undefined
  }
  console.error(`The sandbox is at ${new URL('/', server.baseUrl)} while ${program} runs.`)
  try {
    await runProgram(program, programArgs, getVariables(sandbox, server))
  } finally {
    await server.close()
  }
  return undefined
}

function print(text: string): number {
  console.log(text)
  return 0
}

/** @throws {UsageError} if an option is unknown, lacks a value, or must not have one, or an argument is unexpected */
function parseOptions(args: string[]) {
  // With `strict: false`, so that the messages are ours.
  const { values, tokens } = parseArgs({ args, options, strict: false, tokens: true })
  for (const token of tokens) {
    if (token.kind === 'positional') throw new UsageError(`to run '${token.value}', write -- before it`)
    if (token.kind !== 'option') continue
    const { name, rawName, value, inlineValue } = token
    if (!Object.hasOwn(options, name)) throw new UsageError(`unknown option ${rawName}${suggestOption(name)}`)
    const isBoolean = options[name as keyof typeof options].type === 'boolean'
    if (isBoolean && value !== undefined) throw new UsageError(`${rawName} takes no value`)
    const isOption = !inlineValue && value !== undefined && /^-./.test(value)
    if (!isBoolean && (!value || isOption)) throw new UsageError(`${rawName} needs a value`)
  }
  return values as ReturnType<typeof parseArgs<{ options: typeof options }>>['values']
}

function suggestOption(name: string): string {
  const isKey = /^(api)?[_-]?(key|token)$/i.test(name)
  const meant = isKey ? 'key' : findSimilarName(name, Object.keys(options))
  return meant === undefined ? '' : `, did you mean --${meant}?`
}

function parseNumber(option: string, value: string, from: number, to: number, other = ''): number {
  const number = value.trim() === '' ? Number.NaN : Number(value)
  if (number >= from && number <= to) return number
  throw new UsageError(`--${option} takes a number from ${from} to ${to}${other}, not '${value}'`)
}

function parseWhole(option: string, value: string, from: number, to: number, other = ''): number {
  const number = parseNumber(option, value, from, to, other)
  if (Number.isInteger(number)) return number
  throw new UsageError(`--${option} takes a whole number, not '${value}'`)
}

function createPlatform(dialect: string, options: Parameters<typeof createSandbox>[0]): Sandbox {
  const names = dialect === 'reference' || dialect === 'deployed' ? dialect : dialect.split(',')
  try {
    return createSandbox({ ...options, dialect: names as SandboxDialect })
  } catch (error) {
    throw error instanceof ConfigurationError ? new UsageError(`--${error.message}`) : error
  }
}

/** Returns the environment variables that a client reads. */
function getVariables({ apiKey, authScheme, rateLimit }: Sandbox, { baseUrl, openerUrl }: SandboxServer) {
  return {
    SHORTLINK_BASE_URL: baseUrl,
    SHORTLINK_OPENER_URL: openerUrl,
    SHORTLINK_API_KEY: apiKey,
    SHORTLINK_RATE_LIMIT: rateLimit ? String(rateLimit.limit) : 'off',
    SHORTLINK_AUTH_SCHEME: authScheme,
  }
}

/** Runs a program, passes signals to it, and ends like it: with its exit code, or by its signal. */
async function runProgram(program: string, args: string[], variables: Record<string, string>): Promise<void> {
  const child = spawn(program, args, { stdio: 'inherit', env: { ...process.env, ...variables } })
  const pass = (signal: NodeJS.Signals) => {
    // Ctrl+C in a terminal already reaches every program that runs there.
    if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal)
  }
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  for (const signal of signals) process.on(signal, pass)
  const [code, signal] = await once(child, 'exit').catch((error: NodeJS.ErrnoException) => {
    const advice = process.platform === 'win32' ? ': npm and npx are scripts there, run them with cmd /c' : ''
    throw new UsageError(`cannot run '${program}' (${error.code})${advice}`)
  })
  for (const signal of signals) process.off(signal, pass)
  if (signal === null) process.exitCode = code
  else process.once('beforeExit', () => process.kill(process.pid, signal))
}

function formatGreeting(sandbox: Sandbox, server: SandboxServer): string {
  const quoteForPowerShell = (text: string) => `'${text.replaceAll("'", "''")}'`
  // Default values do not have to be set.
  const set = Object.entries(getVariables(sandbox, server)).filter(([, value]) => value !== '30' && value !== 'Bearer')
  return `The sandbox responds in the ${sandbox.dialect} dialect. Ctrl+C stops it.

${formatAddresses(sandbox, server)}

For your client, in a shell:
${set.map(([name, value]) => `  export ${name}=${quoteForShell(value)}`).join('\n')}

In PowerShell:
  ${set.map(([name, value]) => `$env:${name}=${quoteForPowerShell(value)}`).join('; ')}

Try:
${formatCurl(sandbox, server)}
`
}
