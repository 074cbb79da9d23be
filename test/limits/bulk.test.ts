import { setTimeout as pass } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import {
  type BulkOptions,
  type BulkProgress,
  type BulkResult,
  bulk,
  type Journal,
  type JournalEntry,
  UnknownOutcomeError,
} from '../../src/bulk/index.ts'
import { ConfigurationError, ConnectionError, InvalidRequestError } from '../../src/errors.ts'

const numbers = (count: number) => Array.from({ length: count }, (_, i) => i)

/** A journal in memory. */
function memoryJournal(entries: JournalEntry[] = []) {
  const journal = {
    entries,
    read: () => [...entries],
    write: (entry: JournalEntry) => void entries.push(entry),
    close: vi.fn(),
  }
  return journal satisfies Journal
}

async function all<T, R>(run: AsyncIterable<BulkResult<T, R>>): Promise<BulkResult<T, R>[]> {
  const results = []
  for await (const result of run) results.push(result)
  return results
}

describe('bulk', () => {
  it('gives every item to the worker once, and its result as it comes', async () => {
    const run = bulk([30, 5, 15], async (ms, { index }) => {
      await pass(ms)
      return `${index}:${ms}`
    })
    expect((await all(run)).map((result) => result.ok && result.data)).toEqual(['1:5', '2:15', '0:30'])
    expect(await run.summary()).toMatchObject({ done: 3, failed: 0, unknown: 0, skipped: 0 })
  })

  it('goes on when an item fails, and says what became of it', async () => {
    const sad: Record<number, Error> = {
      1: new InvalidRequestError([]),
      2: new ConnectionError('gone', { outcome: 'unknown' }),
      3: new TypeError('a bug'),
    }
    const run = bulk(
      numbers(5),
      (item) => {
        if (sad[item]) throw sad[item]
        return item
      },
      { concurrency: 1 },
    )
    const results = await all(run)
    expect(results.map(({ outcome }) => outcome)).toEqual(['done', 'not-sent', 'unknown', 'unknown', 'done'])
    expect(results.map((result) => !result.ok && result.error)).toEqual([false, sad[1], sad[2], sad[3], false])
    expect(await run.summary()).toMatchObject({ done: 2, failed: 3, unknown: 2 })
  })

  it('does the work for a summary alone', async () => {
    const worker = vi.fn(async (item: number) => item)
    expect(await bulk(new Set(numbers(25)), worker).summary()).toMatchObject({ done: 25, failed: 0 })
    expect(worker).toHaveBeenCalledTimes(25)
  })

  it('has at most so many items in work, and takes no more than that from the source while nobody takes results', async () => {
    let taken = 0
    let working = 0
    let most = 0
    async function* endless() {
      for (;;) yield taken++
    }
    const worker = async (item: number) => {
      most = Math.max(most, ++working)
      await pass(1)
      working--
      return item
    }
    const results = bulk(endless(), worker, { concurrency: 4 })[Symbol.asyncIterator]()
    for (let i = 0; i < 10; i++) await results.next()
    await pass(50)
    expect(taken).toBeLessThan(20)
    expect(most).toBe(4)
    await results.return?.()
  })

  it('ends at an abort: what is in work hears of it and gives its result, then the reason comes', async () => {
    const controller = new AbortController()
    const seen: unknown[] = []
    const worker = (item: number, { signal }: { signal: AbortSignal }) =>
      new Promise<number>((resolve, reject) => {
        if (item < 2) resolve(item)
        signal.addEventListener('abort', () => reject(signal.reason))
      })
    const run = bulk(numbers(100), worker, { concurrency: 3, signal: controller.signal })
    const consume = async () => {
      for await (const { index, ok } of run) {
        seen.push([index, ok])
        if (seen.length === 2) setTimeout(() => controller.abort('enough'), 10)
      }
    }
    await expect(consume()).rejects.toBe('enough')
    expect(seen).toEqual([
      [0, true],
      [1, true],
      [2, false],
      [3, false],
      [4, false],
    ])
    expect(await run.summary()).toMatchObject({ done: 2, failed: 3, unknown: 3 })
  })

  it('leaves no listener on the signal, and begins nothing with one that is aborted', async () => {
    const { signal } = new AbortController()
    const added = vi.spyOn(signal, 'addEventListener')
    const removed = vi.spyOn(signal, 'removeEventListener')
    await bulk(numbers(50), async (item) => item, { signal }).summary()
    expect(added).toHaveBeenCalledTimes(1)
    expect(removed).toHaveBeenCalledTimes(1)
    const worker = vi.fn()
    await expect(bulk([1], worker, { signal: AbortSignal.abort('no') }).summary()).rejects.toBe('no')
    expect(worker).not.toHaveBeenCalled()
  })

  it('stops the work when the loop is left', async () => {
    const aborted = vi.fn()
    const journal = memoryJournal()
    const worker = async (item: number, { signal }: { signal: AbortSignal }) => {
      if (item === 0) return
      await new Promise<void>((_, reject) => {
        signal.addEventListener('abort', () => {
          aborted()
          reject(signal.reason)
        })
      })
    }
    const run = bulk(numbers(100), worker, { concurrency: 3, journal })
    for await (const _ of run) break
    expect(aborted).toHaveBeenCalled()
    expect(journal.close).toHaveBeenCalledTimes(1)
    expect(await run.summary()).toMatchObject({ done: 1 })
  })

  it('ends with the error of the source, after what was begun', async () => {
    async function* source() {
      yield 1
      yield 2
      throw new Error('the list broke off')
    }
    const seen: number[] = []
    const consume = async () => {
      for await (const { item } of bulk(source(), async () => pass(5))) seen.push(item)
    }
    await expect(consume()).rejects.toThrow('the list broke off')
    expect(seen).toEqual([1, 2])
  })

  it('gives its results only once', async () => {
    const run = bulk([1], async (item) => item)
    await all(run)
    expect(() => run[Symbol.asyncIterator]()).toThrow(ConfigurationError)
  })

  it.each([
    [3, () => {}, {}, 'bulk: items: expected something to iterate over, such as a list, received 3'],
    ['text', () => {}, {}, 'received a string'],
    [[], undefined, {}, 'bulk: worker: expected a function, received nothing'],
    [[], () => {}, { concurrency: 0 }, 'bulk: concurrency: expected a whole number from 1, received 0'],
    [[], () => {}, { total: -1 }, 'bulk: total'],
    [
      [],
      () => {},
      { journal: 'file' },
      'bulk: journal: expected a journal, such as fileJournal(path), received a string',
    ],
    [[], () => {}, { onUnknown: 'maybe' }, 'bulk: onUnknown'],
    [[], () => {}, { key: 'id' }, 'bulk: key'],
  ])('refuses what does not fit: %#', (items, worker, options, message) => {
    const wrong = () => bulk(items as never, worker as never, options as never)
    expect(wrong).toThrow(ConfigurationError)
    expect(wrong).toThrow(message)
  })
})

describe('progress', () => {
  it('is told after each item, those of earlier runs included, and cannot break the run', async () => {
    const told: BulkProgress[] = []
    const journal = memoryJournal([{ key: '0', state: 'done' }])
    const onProgress = (progress: BulkProgress) => {
      told.push(progress)
      throw new Error('an observer that throws breaks nothing')
    }
    const worker = async (item: number) => {
      if (item === 2) throw new Error('sad')
    }
    await bulk(numbers(3), worker, { journal, onProgress, concurrency: 1 }).summary()
    expect(told.map(({ done, failed, total }) => [done, failed, total])).toEqual([
      [1, 0, 3],
      [2, 0, 3],
      [2, 1, 3],
    ])
    expect(told.at(-1)!.etaMs).toBe(0)
  })

  it('knows from the budget how long the rest takes, after the first few already', async () => {
    const resetAt = new Date(Date.now() + 60_000)
    const client = { rateLimit: { limit: 30, remaining: 20, resetAt, queued: 0 } }
    const etas: (number | undefined)[] = []
    const onProgress = ({ etaMs }: BulkProgress) => void etas.push(etaMs)
    for await (const _ of bulk(numbers(2000), async () => {}, { client, onProgress, concurrency: 1 })) {
      if (etas.length === 10) break
    }
    // 1990 are left: 20 in this window, 30 in each of 66 more; the last begins 65 minutes after this one ends.
    expect(etas[9]! / 60_000).toBeCloseTo(66, 0)
  })

  it('estimates from the speed where there is no budget, and says nothing where the total is unknown', async () => {
    const etas: (number | undefined)[] = []
    const onProgress = ({ etaMs }: BulkProgress) => void etas.push(etaMs)
    await bulk(numbers(20), () => pass(20), { onProgress, concurrency: 2 }).summary()
    expect(etas[9]).toBeGreaterThan(70)
    expect(etas[9]).toBeLessThan(1000)
    etas.length = 0
    await bulk(new Map([[1, 1]]).keys(), async () => {}, { onProgress }).summary()
    expect(etas).toEqual([undefined])
  })
})

describe('a journal', () => {
  const run = async (entries: JournalEntry[], options: BulkOptions<string> = {}) => {
    const journal = memoryJournal(entries)
    const worked: string[] = []
    const results = await all(
      bulk(
        ['a', 'b', 'c', 'd'],
        async (item) => {
          worked.push(item)
        },
        { journal, key: (item) => item, concurrency: 1, ...options },
      ),
    )
    return { worked, results, journal }
  }

  it('notes each item before and after', async () => {
    const { journal } = await run([])
    expect(journal.entries.slice(0, 4)).toEqual([
      { key: 'a', state: 'begun' },
      { key: 'a', state: 'done' },
      { key: 'b', state: 'begun' },
      { key: 'b', state: 'done' },
    ])
    expect(journal.close).toHaveBeenCalledTimes(1)
  })

  const earlier: JournalEntry[] = [
    { key: 'a', state: 'begun' },
    { key: 'a', state: 'done' },
    { key: 'b', state: 'begun' },
    { key: 'b', state: 'rejected' },
    { key: 'c', state: 'begun' },
  ]

  it('saves what is done from being done again, does again what surely was not, and reports what nobody knows', async () => {
    const { worked, results } = await run([...earlier])
    expect(worked).toEqual(['b', 'd'])
    const reported = results.filter(({ ok }) => !ok)
    expect(reported).toEqual([
      { ok: false, item: 'c', index: 2, outcome: 'unknown', error: expect.any(UnknownOutcomeError) },
    ])
    // Nobody has decided yet: the next run reports it again.
    expect((await run([...earlier, { key: 'd', state: 'unknown' }])).results).toHaveLength(3)
  })

  it('lets the caller decide about what nobody knows', async () => {
    expect((await run([...earlier], { onUnknown: 'retry' })).worked).toEqual(['b', 'c', 'd'])
    const skipped = await run([...earlier], { onUnknown: 'skip' })
    expect(skipped.worked).toEqual(['b', 'd'])
    expect(skipped.journal.entries).toContainEqual({ key: 'c', state: 'done' })
    const asked = vi.fn(async () => 'retry' as const)
    expect((await run([...earlier], { onUnknown: asked })).worked).toEqual(['b', 'c', 'd'])
    expect(asked).toHaveBeenCalledExactlyOnceWith('c', 2)
  })

  it('knows items by their position, and refuses others at the same position', async () => {
    const journal = memoryJournal()
    await bulk([10, 11, 12], async () => {}, { journal }).summary()
    const worker = vi.fn()
    expect(await bulk([10, 11, 12], worker, { journal }).summary()).toMatchObject({ done: 3, skipped: 3 })
    await expect(bulk([11, 12], worker, { journal }).summary()).rejects.toThrow('another item at position 0')
    expect(worker).not.toHaveBeenCalled()
  })

  it('that cannot write ends the run, and nothing more is begun', async () => {
    const worker = vi.fn(async () => {})
    const journal: Journal = { read: () => [], write: () => Promise.reject(new Error('disk full')) }
    await expect(bulk(numbers(10), worker, { journal }).summary()).rejects.toThrow('disk full')
    expect(worker).not.toHaveBeenCalled()
  })

  it('keeps what an abort cut off as begun, for it may have been done', async () => {
    const journal = memoryJournal()
    const controller = new AbortController()
    const worker = (_: number, { signal }: { signal: AbortSignal }) =>
      new Promise<void>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    setTimeout(() => controller.abort('enough'), 20)
    await bulk([1], worker, { journal, signal: controller.signal })
      .summary()
      .catch(() => {})
    expect(journal.entries).toEqual([{ key: '0', state: 'begun', print: expect.any(String) }])
  })

  it('with a client, items begin only when the budget has room', async () => {
    const journal = memoryJournal()
    const rateLimit = { limit: 1, remaining: 0, resetAt: new Date(Date.now() + 60), queued: 0 }
    const client = { rateLimit }
    const run = bulk([1], async () => {}, { client, journal }).summary()
    await pass(30)
    expect(journal.entries).toEqual([])
    rateLimit.remaining = 1
    await run
    expect(journal.entries).toHaveLength(2)
  })
})
