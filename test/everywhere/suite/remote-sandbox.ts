import type { Fault, SandboxDialect, SandboxRequest, SandboxSeed } from 'shortlink-sdk/testing'

/** Options of a sandbox that can be sent as JSON. */
export interface RemoteOptions {
  dialect?: SandboxDialect
  /** The number of rows in every list, without `data`. Default: 3. */
  rows?: number
  data?: SandboxSeed
  rateLimit?: { requests: number; interval: number } | false
}

/** Replaces the bytes of an upload: their number, and their {@link checksum}. */
export interface Received {
  size: number
  checksum: number
}

/** A sandbox in another process, controlled over HTTP. */
export class RemoteSandbox {
  readonly #control: string
  readonly baseUrl: string
  readonly openerUrl: string
  readonly apiKey: string

  private constructor(control: string, made: { baseUrl: string; openerUrl: string; apiKey: string }) {
    this.#control = control
    this.baseUrl = made.baseUrl
    this.openerUrl = made.openerUrl
    this.apiKey = made.apiKey
  }

  static async create(control: string, options: RemoteOptions): Promise<RemoteSandbox> {
    const made = await ask(`${control}/sandboxes`, options)
    return new RemoteSandbox(`${control}/sandboxes/${made.id}`, made)
  }

  /** Adds faults. */
  async fail(...faults: Fault[]): Promise<void> {
    for (const fault of faults) await ask(`${this.#control}/fail`, fault)
  }

  /** All requests so far. The bytes of an upload are replaced by {@link Received}. */
  async requests(): Promise<SandboxRequest[]> {
    return await ask(`${this.#control}/requests`, {})
  }

  /** The last request. */
  async last(): Promise<SandboxRequest | undefined> {
    return (await this.requests()).at(-1)
  }

  async close(): Promise<void> {
    await ask(`${this.#control}/close`, {})
  }
}

// biome-ignore lint/suspicious/noExplicitAny: the type of the response depends on the request.
async function ask(url: string, body: object): Promise<any> {
  const response = await fetch(url, { method: 'POST', body: JSON.stringify(body) })
  if (!response.ok) throw new Error(`${url} responded with ${response.status}: ${await response.text()}`)
  return await response.json()
}

/** Returns the FNV-1a hash, which changes if bytes are missing or out of order. */
export function checksum(bytes: Uint8Array): number {
  let sum = 0x811c9dc5
  for (const byte of bytes) sum = Math.imul(sum ^ byte, 0x01000193)
  return sum >>> 0
}
