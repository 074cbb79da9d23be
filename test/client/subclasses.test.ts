/** Subclasses of the client. */
import { inspect } from 'node:util'
import { ConfigurationError, ShortLinkClient, type ShortLinkClientOptions } from 'shortlink-sdk'
import { expect, test } from 'vitest'

const apiKey = 'key-0123456789'
const baseUrl = 'https://sho.rt/api'

class Tenant extends ShortLinkClient {
  readonly tenant: string
  readonly key: string

  constructor(tenant: string, key: string) {
    super({ baseUrl, apiKey: key.trim() })
    this.tenant = tenant
    this.key = key
  }
}

class Loose extends ShortLinkClient {
  readonly tenant: unknown

  constructor(tenant: unknown) {
    super({ baseUrl, apiKey })
    this.tenant = tenant
  }
}

class WithDefaults extends ShortLinkClient {
  constructor(options: ShortLinkClientOptions = {}) {
    super({ retry: 5, ...options })
  }
}

test.each([
  ['that fails with options', () => new Tenant('one', apiKey)],
  ['that takes anything', () => new Loose('one')],
])('`withOptions` refuses a subclass with other parameters, %s', (_, create) => {
  const client = create()
  const message = `withOptions: ${client.constructor.name} must pass its first parameter on to super, or override withOptions`
  expect(() => client.withOptions({ timeout: 5 })).toThrow(ConfigurationError)
  expect(() => client.withOptions({ timeout: 5 })).toThrow(message)
})

test('`withOptions` creates a client of a subclass that passes options on', () => {
  const client = new WithDefaults({ baseUrl, apiKey }).withOptions({ timeout: 5 }).withOptions({ retry: 1 })
  expect(client).toBeInstanceOf(WithDefaults)
  expect(client.baseUrl).toBe(baseUrl)
  expect(() => client.withOptions({ timeout: 'x' } as never)).toThrow(/^timeout: /)
})

test('inspecting a subclass does not show the key', () => {
  const shown = inspect(new Tenant('one', apiKey), { depth: 9 })
  expect(shown).toMatch(/^Tenant \{/)
  expect(shown).toContain("tenant: 'one'")
  expect(shown).not.toContain('0123456789')
})
