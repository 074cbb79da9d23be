import { spawn } from 'node:child_process'
import { once } from 'node:events'
import process from 'node:process'
import { ConfigurationError } from '../../../../src/client/errors.ts'
import { createSandbox, type Sandbox, type SandboxDialect, sampleData } from '../../../../src/testing/index.ts'
import { createAndServe, type SandboxServer } from '../../../../src/testing/server.ts'
import { command, numberOption, UsageError, wholeNumberOption } from '../command.ts'

const sandboxNotes = `With a program, as in \`shortlink-sdk sandbox -- node first.mjs\`, runs it with
the variables set that a client reads, and ends with its exit code.`

/** `shortlink-sdk sandbox` */
export default command(
  {
    meta: { name: 'sandbox', description: 'Start the short-link platform in memory' },
    args: {
      port: { type: 'string', valueHint: 'n', description: '0 for any free one (4010; 0 with a program)' },
      host: { type: 'string', default: '127.0.0.1', valueHint: 'address', description: 'address to listen on' },
      key: { type: 'string', default: 'sandbox-key', description: 'the API key' },
      dialect: {
        type: 'string',
        default: 'reference',
        valueHint: 'name',
        description: 'reference, deployed, or deviations with commas',
      },
      rows: { type: 'string', default: '3', valueHint: 'n', description: 'rows in every list' },
      'rate-limit': { type: 'string', default: '30', valueHint: 'n', description: 'requests a minute, or off' },
      chaos: { type: 'string', default: '0', valueHint: 'share', description: 'share of requests that fail' },
      seed: { type: 'string', default: '1', valueHint: 'n', description: 'seed for --chaos' },
    },
    async run({ args, rawArgs }) {
      const end = rawArgs.includes('--') ? rawArgs.indexOf('--') : rawArgs.length
      const [program, ...programArgs] = rawArgs.slice(end + 1)
      if (end < rawArgs.length && program === undefined) throw new UsageError('there is no command after --')
      if (end === rawArgs.length && args._.length > 0) throw new UsageError(`to run '${args._[0]}', write -- before it`)
      const { host, key } = args
      const limit = args['rate-limit']
      const requests = limit === 'off' ? 0 : wholeNumberOption('rate-limit', limit, 1, 1_000_000, ', or off')
      const data = sampleData(wholeNumberOption('rows', args.rows, 0, 1_000_000))
      const rate = numberOption('chaos', args.chaos, 0, 1)
      const seed = wholeNumberOption('seed', args.seed, 0, 2 ** 53)
      const wanted = args.port ?? (program === undefined ? '4010' : '0')
      const port = wholeNumberOption('port', wanted, 0, 65_535)
      const log = program === undefined ? (line: string) => console.log(line) : () => {}
      const rateLimit = requests > 0 && { requests }
      const { sandbox: platform, server: served } = await createAndServe(
        (addresses) => createPlatform(args.dialect, { ...addresses, apiKey: key, rateLimit, data }),
        { port, host, log },
      )
      platform.chaos({ rate, seed })
      if (program === undefined) {
        for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void served.close())
        console.log(greeting(platform, served))
        return
      }
      console.error(`The sandbox is at ${new URL('/', served.baseUrl)} while ${program} runs.`)
      try {
        await runProgram(program, programArgs, variables(platform, served))
      } finally {
        await served.close()
      }
    },
  },
  Number.POSITIVE_INFINITY,
  sandboxNotes,
)

function createPlatform(dialect: string, options: Parameters<typeof createSandbox>[0]): Sandbox {
  const names = dialect === 'reference' || dialect === 'deployed' ? dialect : dialect.split(',')
  try {
    return createSandbox({ ...options, dialect: names as SandboxDialect })
  } catch (error) {
    throw error instanceof ConfigurationError ? new UsageError(`--${error.message}`) : error
  }
}

/** The variables that a client reads. */
function variables({ apiKey, authScheme, rateLimit }: Sandbox, { baseUrl, openerUrl }: SandboxServer) {
  return {
    SHORTLINK_BASE_URL: baseUrl,
    SHORTLINK_OPENER_URL: openerUrl,
    SHORTLINK_API_KEY: apiKey,
    SHORTLINK_RATE_LIMIT: rateLimit ? String(rateLimit.limit) : 'off',
    SHORTLINK_AUTH_SCHEME: authScheme,
  }
}

/** Runs a program to its end, passes signals to it, and ends as it does: with its exit code, or by its signal. */
async function runProgram(program: string, args: string[], variables: Record<string, string>): Promise<void> {
  const child = spawn(program, args, { stdio: 'inherit', env: { ...process.env, ...variables } })
  const pass = (signal: NodeJS.Signals) => {
    // Ctrl+C on a terminal reaches every program that runs there.
    if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal)
  }
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  for (const signal of signals) process.on(signal, pass)
  const [code, signal] = await once(child, 'exit').catch((error: NodeJS.ErrnoException) => {
    const advice = process.platform === 'win32' ? ': npm and npx are scripts there, run them by cmd /c' : ''
    throw new UsageError(`cannot run '${program}' (${error.code})${advice}`)
  })
  for (const signal of signals) process.off(signal, pass)
  if (signal === null) process.exitCode = code
  else process.once('beforeExit', () => process.kill(process.pid, signal))
}

function greeting(platform: Sandbox, served: SandboxServer): string {
  const { apiKey, dialect, authScheme } = platform
  const { baseUrl, openerUrl } = served
  const shell = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
  const powerShell = (text: string) => `'${text.replaceAll("'", "''")}'`
  // What a client assumes need not be set.
  const set = Object.entries(variables(platform, served)).filter(([, value]) => value !== '30' && value !== 'Bearer')
  const key = authScheme === 'raw' ? apiKey : `${authScheme} ${apiKey}`
  return `The sandbox responds in the ${dialect} dialect. Ctrl+C stops it.

  Management API   ${baseUrl}
  App opener       ${openerUrl}
  API key          ${apiKey}
  Page             ${new URL('/', baseUrl)}

For your client, in a shell:
${set.map(([name, value]) => `  export ${name}=${shell(value)}`).join('\n')}

In PowerShell:
  ${set.map(([name, value]) => `$env:${name}=${powerShell(value)}`).join('; ')}

Try:
  curl -H ${shell(`Authorization: ${key}`)} ${shell(`${baseUrl}/campaigns`)}
`
}
