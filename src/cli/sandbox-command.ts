import process from 'node:process'
import { parseArgs } from 'node:util'
import { createSandbox, deviations, type Sandbox, type SandboxDialect, sampleData } from '../testing/index.ts'
import { type Served, serve } from '../testing/server.ts'
import { type Command, numberOption, UsageError } from './command.ts'

const help = `Usage: shortlink-sdk sandbox [options]

Starts the short-link platform in memory, on a port of this machine.

Options:
  --port <n>          port; 0 takes any free one               (4010)
  --host <address>    where to listen                          (127.0.0.1)
  --key <key>         the API key                              (sandbox-key)
  --dialect <name>    reference, deployed, or a list of
                      deviations with commas between them      (reference)
  --rows <n>          rows in every list                       (3)
  --rate-limit <n>    requests a minute, or off                (30)
  --chaos <share>     share of requests that fail, 0 to 1      (0)
  --seed <n>          makes another chaos                      (1)
  --cors              lets browser pages of any origin call the platform
  --help              print this text

Deviations from the reference:
${Object.entries(deviations)
  .map(([name, sentence]) => `  ${name}\n      ${sentence}`)
  .join('\n')}
`

/** `shortlink-sdk sandbox` */
export const sandbox: Command = {
  help,
  async run(args) {
    const { values } = parseArgs({
      args,
      options: {
        port: { type: 'string', default: '4010' },
        host: { type: 'string', default: '127.0.0.1' },
        key: { type: 'string', default: 'sandbox-key' },
        dialect: { type: 'string', default: 'reference' },
        rows: { type: 'string', default: '3' },
        'rate-limit': { type: 'string', default: '30' },
        chaos: { type: 'string', default: '0' },
        seed: { type: 'string', default: '1' },
        cors: { type: 'boolean', default: false },
      },
    })
    const { host, key, cors } = values
    const port = numberOption('port', values.port, 0, 65_535)
    const origin = `http://${host.includes(':') ? `[${host}]` : host}:${port}`
    const platform = create(values.dialect, {
      // With a known port, short addresses can be opened in a browser.
      ...(port === 0 ? {} : { baseUrl: `${origin}/api`, openerUrl: `${origin}/opener` }),
      apiKey: key,
      rateLimit: rateLimit(values['rate-limit']),
      data: sampleData(numberOption('rows', values.rows, 0, 1_000_000)),
    })
    const chaos = {
      rate: numberOption('chaos', values.chaos, 0, 1),
      seed: numberOption('seed', values.seed, 0, 2 ** 53),
    }
    if (chaos.rate > 0) platform.chaos(chaos)

    const served = await serve(platform, { port, host, cors, log: (line) => console.log(line) })
    console.log(greeting(platform, served))
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void served.close())
  },
}

function create(dialect: string, options: Parameters<typeof createSandbox>[0]): Sandbox {
  const names = dialect === 'reference' || dialect === 'deployed' ? dialect : dialect.split(',')
  try {
    // createSandbox refuses unknown names.
    return createSandbox({ ...options, dialect: names as SandboxDialect })
  } catch (error) {
    throw error instanceof RangeError ? new UsageError(`--${error.message}`) : error
  }
}

function rateLimit(value: string): { requests: number } | false {
  return value === 'off' ? false : { requests: numberOption('rate-limit', value, 1, 1_000_000) }
}

function greeting({ apiKey, dialect }: Sandbox, { baseUrl, openerUrl }: Served): string {
  const shell = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
  const powerShell = (text: string) => `'${text.replaceAll("'", "''")}'`
  return `The sandbox answers in the ${dialect} dialect. Ctrl+C stops it.

  Management API   ${baseUrl}
  App opener       ${openerUrl}
  API key          ${apiKey}
  Page             ${new URL('/', baseUrl)}
  OpenAPI          ${new URL('/openapi.json', baseUrl)}

For your client, in a shell:
  export SHORTLINK_BASE_URL=${shell(baseUrl)} SHORTLINK_OPENER_URL=${shell(openerUrl)}
  export SHORTLINK_API_KEY=${shell(apiKey)}

In PowerShell:
  $env:SHORTLINK_BASE_URL=${powerShell(baseUrl)}; $env:SHORTLINK_OPENER_URL=${powerShell(openerUrl)}; $env:SHORTLINK_API_KEY=${powerShell(apiKey)}

Try:
  curl -H ${shell(`Authorization: Bearer ${apiKey}`)} ${shell(`${baseUrl}/campaigns`)}
`
}
