#!/usr/bin/env node
import process from 'node:process'
import { parseArgs } from 'node:util'
import { sampleData } from './data/sample.ts'
import { createSandbox, type SandboxOptions } from './sandbox.ts'
import { type Served, serve } from './server.ts'

const help = `shortlink-sandbox: the short-link platform in memory, on a port

  --port <n>          port; 0 takes any free one          (4010)
  --host <address>    where to listen                     (127.0.0.1)
  --dialect <name>    reference or deployed               (reference)
  --key <key>         the API key                         (sandbox-key)
  --rate-limit <n>    requests a minute, or off           (30)
  --rows <n>          rows in every list                  (3)
  --chaos <share>     share of requests that fail, 0 to 1 (0)
  --seed <n>          the dice of the chaos               (1)
  --cors              let browser pages of any origin in
  --help              this text
`

const { port, host, key, cors, rows, chaos, seed, ...options } = readOptions(process.argv.slice(2))

const origin = `http://${host.includes(':') ? `[${host}]` : host}:${port}`

const sandbox = createSandbox({
  // With a known port the short addresses work in a browser.
  ...(port === 0 ? {} : { baseUrl: `${origin}/api`, openerUrl: `${origin}/opener` }),
  ...options,
  apiKey: key,
  data: sampleData(rows),
})
if (chaos > 0) sandbox.chaos({ rate: chaos, seed })

serve(sandbox, { port, host, cors, log: (line) => console.log(line) }).then(announce, (error: Error) =>
  stop(`shortlink-sandbox: ${error.message}`),
)

function announce({ baseUrl, openerUrl, close }: Served): void {
  console.log(`The sandbox answers in the ${sandbox.dialect} dialect.

  Management API   ${baseUrl}
  App opener       ${openerUrl}
  API key          ${key}
  What is stored   ${new URL('/', baseUrl)}

Try:
  curl -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' '${baseUrl}/campaigns'
`)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void close())
}

function readOptions(args: string[]) {
  try {
    const { values } = parseArgs({
      args,
      options: {
        port: { type: 'string', default: '4010' },
        host: { type: 'string', default: '127.0.0.1' },
        dialect: { type: 'string', default: 'reference' },
        key: { type: 'string', default: 'sandbox-key' },
        'rate-limit': { type: 'string', default: '30' },
        rows: { type: 'string', default: '3' },
        chaos: { type: 'string', default: '0' },
        seed: { type: 'string', default: '1' },
        cors: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    })
    if (values.help) {
      console.log(help)
      process.exit(0)
    }
    return {
      port: number('port', values.port, 0, 65_535),
      host: values.host,
      dialect: dialect(values.dialect),
      key: values.key,
      rateLimit: rateLimit(values['rate-limit']),
      rows: number('rows', values.rows, 0, 1_000_000),
      chaos: number('chaos', values.chaos, 0, 1),
      seed: number('seed', values.seed, 0, Number.MAX_SAFE_INTEGER),
      cors: values.cors,
    }
  } catch (error) {
    return stop(`shortlink-sandbox: ${(error as Error).message}\n\n${help}`)
  }
}

function number(option: string, value: string, from: number, to: number): number {
  const found = value.trim() === '' ? Number.NaN : Number(value)
  if (found >= from && found <= to) return found
  throw new Error(`--${option} takes a number from ${from} to ${to}, not '${value}'`)
}

function dialect(value: string): 'reference' | 'deployed' {
  if (value === 'reference' || value === 'deployed') return value
  throw new Error(`--dialect takes reference or deployed, not '${value}'`)
}

function rateLimit(value: string): NonNullable<SandboxOptions['rateLimit']> {
  return value === 'off' ? false : { requests: number('rate-limit', value, 1, 1_000_000), interval: 60_000 }
}

function stop(message: string): never {
  console.error(message)
  process.exit(1)
}
