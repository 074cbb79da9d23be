import { ok, rejects } from './assert.ts'
import type { Topic } from './context.ts'

/** Returns every string that can be reached from a value by properties, even non-enumerable ones, or by iteration. */
function collectStrings(value: unknown, seen = new Set<unknown>(), depth = 0): string {
  if (typeof value !== 'object' || value === null) return `${String(value)}\n`
  if (seen.has(value) || depth > 8) return ''
  seen.add(value)
  const inner = value instanceof Headers || value instanceof Map || value instanceof Set ? [...value] : []
  for (const key of Reflect.ownKeys(value)) {
    try {
      inner.push((value as Record<PropertyKey, unknown>)[key])
    } catch {
      // A getter that throws reveals nothing.
    }
  }
  // Only errors have text that is not in a property.
  return `${value instanceof Error ? String(value) : ''}\n${inner.map((part) => collectStrings(part, seen, depth + 1)).join('')}`
}

const secret = 'a-very/secret+key&1'

export const secrecy: Topic = {
  name: 'secrecy',
  dialects: ['reference'],
  checks: {
    'no error contains the key, even if the server echoes it': async ({ connect, sandbox, deadUrl }) => {
      const client = connect({ apiKey: secret, retry: 0, timeout: 300 })
      const echo = {
        error: 1,
        message: `Bearer ${secret} is unknown`,
        tried: { url: `?key=${encodeURIComponent(secret)}` },
      }
      await sandbox.fail(
        { status: 401, body: echo, headers: { 'X-Echo': secret } },
        { body: echo },
        { body: `<p>${secret}` },
      )
      await sandbox.fail({ status: 500, body: echo }, { drop: 'before' }, { delay: 3000 })
      for (let index = 0; index < 6; index++) {
        const error = await rejects(client.account.get(), {})
        const text = collectStrings(error) + JSON.stringify(error)
        ok(
          !text.includes(secret) && !text.includes(encodeURIComponent(secret)),
          `error ${index} (${error.code}) contains the key`,
        )
      }
      const error = await rejects(connect({ apiKey: secret, baseUrl: deadUrl, retry: 0 }).account.get(), {})
      ok(!collectStrings(error).includes(secret), 'the connection error contains the key')
    },
    'the client does not reveal the key': async ({ connect }) => {
      const client = connect({ apiKey: secret })
      ok(!collectStrings(client).includes(secret), 'a property contains the key')
      ok(!JSON.stringify(client)?.includes(secret), 'the JSON contains the key')
    },
    'withResponse() does not reveal the key': async ({ client, sandbox }) => {
      ok(
        !collectStrings(await client.account.get().withResponse()).includes(sandbox.apiKey),
        'the result contains the key',
      )
    },
    'apiKey: null sends no key': async ({ connect, sandbox }) => {
      await connect({ apiKey: null, retry: 0 }).account.get().safe()
      ok((await sandbox.last())!.headers.authorization === undefined, 'a key was sent')
    },
    'the app-opener API gets the key only with openerAuth': async ({ connect, sandbox }) => {
      await connect({ openerAuth: 'bearer' }).opener.create({ url: 'https://www.youtube.com/watch?v=1' })
      ok((await sandbox.last())!.headers.authorization === 'Bearer ***', 'no key was sent')
    },
  },
}
