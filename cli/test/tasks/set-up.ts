import type { Journal, JournalEntry } from 'shortlink-cli'
import { ShortLinkClient } from 'shortlink-sdk'
import { createSandbox, type Sandbox, type SandboxOptions } from 'shortlink-sdk/testing'
import { vi } from 'vitest'

/** Creates a sandbox without a rate limit, and a client for it. */
export function setUp(options: SandboxOptions = {}) {
  const sandbox = createSandbox(options)
  const client = new ShortLinkClient({ ...sandbox.clientOptions, rateLimit: false, logLevel: 'off', retry: 0 })
  return { sandbox, client }
}

/** Counts the requests of a sandbox by method and path, such as `POST /url/add`. */
export function countRequests({ requests }: Sandbox): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { method, path } of requests) {
    const call = `${method} ${path.replace(/^\/api/, '').replace(/\/\d+/, '/:id')}`
    counts[call] = (counts[call] ?? 0) + 1
  }
  return counts
}

/** Creates rows with an alias each. */
export function rowsOf(count: number, url = 'https://shop.example/') {
  return Array.from({ length: count }, (_, index) => ({ url: `${url}${index + 1}`, custom: `p-${index + 1}` }))
}

/** Creates a journal in memory. */
export function memoryJournal(entries: JournalEntry[] = []) {
  const journal = {
    entries,
    read: () => [...entries],
    write: (entry: JournalEntry) => void entries.push(structuredClone(entry)),
    close: vi.fn(),
  }
  return journal satisfies Journal
}
