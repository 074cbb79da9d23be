import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { expect, it } from 'vitest'
import { listen } from '../../../helpers/server.ts'
import type { Measured, MeasuredCallArgs } from '../children/measured-call.ts'
import { childProgram } from '../children.ts'

const KEY = 'key-0123456789-0123456789-0123456789'
const MB = 1_000_000

const start = childProgram('measured-call')

/** Calls a server that sends a long compressed message, from a new process, and returns the measurements. */
async function measure(call: MeasuredCallArgs['call'], error: number, part: string, length: number): Promise<Measured> {
  const chunk = part.repeat(10_000)
  const origin = await listen((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
    function* body() {
      yield `{"error":${error},"message":"`
      for (let sent = 0; sent < length; sent += chunk.length) yield chunk
      yield '"}'
    }
    // The client may disconnect before the end.
    pipeline(Readable.from(body()), createGzip({ level: 1 }), response).catch(() => {})
  })
  const child = start({ origin, call, apiKey: KEY } satisfies MeasuredCallArgs)
  const { value } = await child.lines.next()
  expect(await child.exited).toBe(0)
  return value as Measured
}

// CPU time rather than time, because the machine may be busy. Without the limits, these calls took minutes or ended the
// process.
it.each([
  ['client', 'account', 'invalid_response unknown'],
  ['proxy', 'proxy', '502'],
] as const)(
  'a gigabyte, compressed to less than five megabytes, costs the %s less than 200 MB',
  {
    timeout: 400_000,
  },
  async (_, call, end) => {
    const measured = await measure(call, 0, ' ', 1000 * MB)
    expect(measured.end).toBe(end)
    expect(measured.cpuMs).toBeLessThan(10_000)
    expect(measured.growthMb).toBeLessThan(200)
  },
)

it.each([
  ['backslashes', '\\\\'],
  ['beginnings of the key', KEY.slice(0, -1)],
  ['escaped beginnings of the key', `\\\\${KEY.slice(0, -1).split('').join('\\\\')}`],
])('10 MB of %s are searched for the key within seconds', { timeout: 400_000 }, async (_, part) => {
  const measured = await measure('account', 1, part, 10 * MB)
  expect(measured.end).toBe('api rejected')
  expect(measured.cpuMs).toBeLessThan(10_000)
  expect(measured.shownLength).toBeLessThan(50_000)
})
