import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  type BulkOptions,
  bulk,
  type Journal,
  type JournalEntry,
  type TaskProgress,
  UnknownOutcomeError,
} from 'shortlink-cli'
import {
  ConfigurationError,
  ConnectionError,
  InvalidRequestError,
  ShortLinkClient,
  type ShortLinkClientOptions,
} from 'shortlink-sdk'
import { createSandbox } from 'shortlink-sdk/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { collect } from '../../../test/helpers/lists.ts'
import { memoryJournal } from './set-up.ts'

const numbers = (count: number) => Array.from({ length: count }, (_, i) => i)

/** Creates a worker whose items end when the test ends them. */
function createManualWorker() {
  const resolvers = new Map<number, () => void>()
  const waiters: { count: number; resolve: () => void }[] = []
  const worker = vi.fn((item: number, { signal }: { signal: AbortSignal }) => {
    const work = new Promise<number>((resolve, reject) => {
      resolvers.set(item, () => resolve(item))
      signal.addEventListener('abort', () => reject(signal.reason))
    })
    for (const { count, resolve } of waiters) if (resolvers.size >= count) resolve()
    return work
  })
  const begun = (count: number) =>
    new Promise<void>((resolve) => {
      if (resolvers.size >= count) resolve()
      else waiters.push({ count, resolve })
    })
  return { worker, begun, end: (item: number) => resolvers.get(item)!() }
}

/** Runs everything that is ready to run without waiting for a timer. */
async function settle(): Promise<void> {
  for (let i = 0; i < 20; i++) await nextTurn()
}

afterEach(() => void vi.useRealTimers())

describe('bulk', () => {
  it('calls the worker once for each item and returns results as they become ready', async () => {
    const { worker, begun, end } = createManualWorker()
    const run = bulk([0, 1, 2], worker)
    const results = run[Symbol.asyncIterator]()
    const first = results.next()
    await begun(3)
    end(1)
    expect((await first).value).toEqual({ ok: true, item: 1, index: 1, data: 1, outcome: 'done', replayed: false })
    end(2)
    expect((await results.next()).value).toMatchObject({ item: 2 })
    end(0)
    expect((await results.next()).value).toMatchObject({ item: 0 })
    expect(await results.next()).toMatchObject({ done: true })
    expect(await run.summary()).toMatchObject({ done: 3, failed: 0, unknown: 0, skipped: 0 })
    expect(worker).toHaveBeenCalledTimes(3)
  })

  it('continues after a failed item and reports its outcome', async () => {
    const failures: Record<number, Error> = {
      1: new InvalidRequestError([]),
      2: new ConnectionError('gone', { outcome: 'unknown' }),
      3: new Error('after an await'),
    }
    const worker = async (item: number) => {
      await nextTurn()
      if (failures[item]) throw failures[item]
      return item
    }
    const run = bulk(numbers(5), worker, { concurrency: 1 })
    const results = await collect(run)
    expect(results.map(({ outcome }) => outcome)).toEqual(['done', 'not-sent', 'unknown', 'unknown', 'done'])
    expect(results.map((result) => !result.ok && result.error)).toEqual([
      false,
      failures[1],
      failures[2],
      failures[3],
      false,
    ])
    expect(await run.summary()).toMatchObject({ done: 2, failed: 3, unknown: 2 })
  })

  it('reports an item that failed after the server did it as done, and as unknown in the next run', async () => {
    const journal = memoryJournal()
    const worker = vi.fn(async (item: number) => {
      throw new ConnectionError(`the response to ${item} does not match`, { outcome: 'done' })
    })
    const options = { journal, key: String }
    const run = bulk([7], worker, options)
    expect(await collect(run)).toMatchObject([{ item: 7, ok: false, outcome: 'done', error: { outcome: 'done' } }])
    expect(await run.summary()).toMatchObject({ total: 1, done: 0, failed: 1, unknown: 1 })
    expect(journal.entries.at(-1)).toMatchObject({ key: '7', state: 'unknown' })
    const again = bulk([7], worker, options)
    expect(await collect(again)).toMatchObject([{ ok: false, error: { name: 'UnknownOutcomeError' } }])
    expect(await again.summary()).toMatchObject({ done: 0, skipped: 0, failed: 1 })
    expect(worker).toHaveBeenCalledTimes(1)
  })

  it('does the work even if only the summary is used', async () => {
    const worker = vi.fn(async (item: number) => item)
    expect(await bulk(new Set(numbers(25)), worker).summary()).toMatchObject({ done: 25, failed: 0 })
    expect(worker).toHaveBeenCalledTimes(25)
  })

  it('limits its concurrency, and takes no items while no results are read', async () => {
    let taken = 0
    let working = 0
    let most = 0
    async function* endless() {
      for (;;) yield taken++
    }
    const worker = async (item: number) => {
      most = Math.max(most, ++working)
      await nextTurn()
      working--
      return item
    }
    const results = bulk(endless(), worker, { concurrency: 4 })[Symbol.asyncIterator]()
    for (let i = 0; i < 10; i++) await results.next()
    await settle()
    expect(taken).toBeLessThan(20)
    expect(most).toBe(4)
    await results.return?.()
  })

  it('returns the results of running items after an abort, then rejects with an AbortError', async () => {
    const controller = new AbortController()
    const { worker, begun, end } = createManualWorker()
    const seen: unknown[] = []
    const run = bulk(numbers(100), worker, { concurrency: 3, signal: controller.signal })
    const consume = async () => {
      for await (const { index, ok } of run) seen.push([index, ok])
    }
    const consumed = consume()
    await begun(3)
    end(0)
    end(1)
    await begun(5)
    controller.abort('enough')
    await expect(consumed).rejects.toMatchObject({ name: 'AbortError', outcome: 'unknown', cause: 'enough' })
    expect(seen).toEqual([
      [0, true],
      [1, true],
      [2, false],
      [3, false],
      [4, false],
    ])
    expect(await run.summary()).toMatchObject({ done: 2, failed: 3, unknown: 3 })
  })

  it('adds one listener to the signal, removes it, and starts nothing if the signal is already aborted', async () => {
    const { signal } = new AbortController()
    const added = vi.spyOn(signal, 'addEventListener')
    const removed = vi.spyOn(signal, 'removeEventListener')
    await bulk(numbers(50), async (item) => item, { signal }).summary()
    expect(added).toHaveBeenCalledTimes(1)
    expect(removed).toHaveBeenCalledTimes(1)
    const worker = vi.fn()
    await expect(bulk([1], worker, { signal: AbortSignal.abort('no') }).summary()).rejects.toMatchObject({
      code: 'aborted',
      outcome: 'not-sent',
      cause: 'no',
    })
    expect(worker).not.toHaveBeenCalled()
  })

  it('stops when the loop over the results ends early', async () => {
    const { worker, begun, end } = createManualWorker()
    const aborted = vi.fn()
    const journal = memoryJournal()
    const run = bulk(
      numbers(100),
      (item, context) => {
        context.signal.addEventListener('abort', aborted)
        return worker(item, context)
      },
      { concurrency: 3, journal, key: String },
    )
    void begun(3).then(() => end(0))
    for await (const _ of run) break
    expect(aborted).toHaveBeenCalled()
    const { reason } = (aborted.mock.calls[0]![0] as Event).target as AbortSignal
    expect(String(reason)).toBe('AbortError: The loop over the results ended early.')
    expect(journal.close).toHaveBeenCalledTimes(1)
    expect(await run.summary()).toMatchObject({ done: 1 })
  })

  it('does not abort the signal of the items when all are done', async () => {
    const signals: AbortSignal[] = []
    await bulk([1, 2], (_, { signal }) => void signals.push(signal)).summary()
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, false])
  })

  it('rejects with the error of the source, after the running items', async () => {
    async function* source() {
      yield 1
      yield 2
      throw new Error('the list broke off')
    }
    const seen: number[] = []
    const consume = async () => {
      for await (const { item } of bulk(source(), () => nextTurn())) seen.push(item)
    }
    await expect(consume()).rejects.toThrow('the list broke off')
    expect(seen).toEqual([1, 2])
  })

  it('can be iterated only once', async () => {
    const run = bulk([1], async (item) => item)
    await collect(run)
    const again = () => run[Symbol.asyncIterator]()
    expect(again).toThrow(ConfigurationError)
    expect(again).toThrow('the results of a task can be iterated over only once')
  })

  it.each<[string, unknown, unknown, unknown]>([
    ['items: expected an iterable, such as an array, received a number', 3, () => {}, {}],
    ['items: expected an iterable, such as an array, received a string', 'text', () => {}, {}],
    ['items: is missing, expected an iterable', undefined, () => {}, {}],
    ['worker: is missing, expected a function', [], undefined, {}],
    ['expected an object of options, received null', [], () => {}, null],
    ['concurrency: expected a positive integer, received 0', [], () => {}, { concurrency: 0 }],
    ['total: expected a whole number from 0, received -1', [], () => {}, { total: -1 }],
    ['journal: expected a journal, such as fileJournal(path), received "file"', [], () => {}, { journal: 'file' }],
    ['journal: expected a journal', [], () => {}, { journal: { write: () => {} } }],
    ['journal: expected a journal', [], () => {}, { journal: { read: () => [] } }],
    ['journal: expected a journal', [], () => {}, { journal: { read: () => [], write: () => {}, open: true } }],
    ['journal: expected a journal', [], () => {}, { journal: { read: () => [], write: () => {}, close: null } }],
    ['onUnknown: expected one of report, retry, received "maybe"', [], () => {}, { onUnknown: 'maybe' }],
    ['onUnknown: expected one of report, retry, received "skip"', [], () => {}, { onUnknown: 'skip' }],
    ['onUnknown: expected one of report, retry, received a function', [], () => {}, { onUnknown: () => 'retry' }],
    ['key: expected a function, received "id"', [], () => {}, { key: 'id' }],
    ['onProgress: expected a function, received true', [], () => {}, { onProgress: true }],
    ['replay: expected true or false, received 1', [], () => {}, { replay: 1 }],
    ['signal: expected an AbortSignal, received an AbortController', [], () => {}, { signal: new AbortController() }],
    ['client: expected a ShortLinkClient, received an object', [], () => {}, { client: {} }],
    ['concurency: unknown option, did you mean concurrency?', [], () => {}, { concurency: 2 }],
  ])('rejects an invalid argument: %s', (message, items, worker, options) => {
    const wrong = () => bulk(items as never, worker as never, options as never)
    expect(wrong).toThrow(ConfigurationError)
    expect(wrong).toThrow(`bulk: ${message}`)
  })

  it.each<[message: string, options: object]>([
    ['bulk: key: expected a function that returns a string or number, received a symbol', { key: () => Symbol('x') }],
    ['bulk: key: expected a function that returns a string or number, received an object', { key: () => ({}) }],
  ])('rejects an invalid return value of `key`: %s', async (message, options) => {
    const worker = vi.fn()
    const journal = memoryJournal([{ key: '0', state: 'begun' }])
    const error = await bulk([1], worker, { journal, ...options })
      .summary()
      .catch((error) => error)
    expect(error).toBeInstanceOf(ConfigurationError)
    expect(error.message).toBe(message)
    expect(worker).not.toHaveBeenCalled()
  })
})

describe('the outcome of an item whose worker throws a foreign error', () => {
  it.each<[string, () => unknown]>([
    ['at once', () => (undefined as unknown as { property: number }).property],
    ['later', () => nextTurn().then(() => Promise.reject(new TypeError('broken')))],
  ])('is unknown if it throws %s, because the work may have been done', async (_when, worker) => {
    const journal = memoryJournal()
    const [result] = await collect(bulk([1], worker, { journal, key: String }))
    expect(result).toMatchObject({ ok: false, outcome: 'unknown', error: { name: 'TypeError' } })
    expect(journal.entries.map(({ state }) => state)).toEqual(['begun', 'unknown'])
  })

  it('comes with an Error whose message describes any thrown value', async () => {
    const results = await collect(bulk(['text', 7, null, new Error('an error')], (item) => Promise.reject(item)))
    expect(results.map(({ error }) => [error?.code, error?.message])).toEqual([
      [undefined, 'text'],
      [undefined, 'a number'],
      [undefined, 'null'],
      [undefined, 'an error'],
    ])
    const [limited] = results
    if (limited?.error?.code === 'rate_limit') limited.error.retryAfter?.toFixed()
  })

  it('is read from an error of another copy of the package', async () => {
    const foreign = Object.assign(new Error('gone'), { code: 'connection', outcome: 'rejected' })
    Object.defineProperty(foreign, Symbol.for('shortlink-sdk.error'), { value: true })
    expect(await collect(bulk([1], () => Promise.reject(foreign)))).toMatchObject([{ outcome: 'rejected' }])
  })
})

describe('progress', () => {
  it('is reported after each item, including items of earlier runs, even if the observer throws', async () => {
    const reported: TaskProgress[] = []
    const journal = memoryJournal([{ key: '0', state: 'done' }])
    const onProgress = (progress: TaskProgress) => {
      reported.push(progress)
      throw new Error('thrown by the observer')
    }
    const worker = async (item: number) => {
      if (item === 2) throw new Error('failed')
    }
    await bulk(numbers(3), worker, { journal, key: String, onProgress, concurrency: 1 }).summary()
    expect(reported.map(({ done, failed, total }) => [done, failed, total])).toEqual([
      [1, 0, 3],
      [2, 0, 3],
      [2, 1, 3],
    ])
    expect(reported.at(-1)!.etaMs).toBe(0)
  })

  it.each<[string, Iterable<unknown> | AsyncIterable<unknown>, number | undefined]>([
    ['an array', [1, 2], 2],
    ['a set', new Set([1, 2]), 2],
    ['a map', new Map([[1, 2]]), 1],
    [
      'a generator',
      (function* () {
        yield 1
      })(),
      undefined,
    ],
    ['an iterator with the properties length and size', Object.assign([1].values(), { length: 5, size: 5 }), undefined],
  ])('has the total of %s', async (_, items, total) => {
    const totals = new Set<number | undefined>()
    await bulk(items, async () => {}, { onProgress: (progress) => totals.add(progress.total) }).summary()
    expect([...totals]).toEqual([total])
  })

  it('and the summary have the elapsed time', async () => {
    vi.useFakeTimers()
    const elapsed: number[] = []
    const worker = () => new Promise<void>((resolve) => setTimeout(resolve, 50))
    const onProgress = ({ elapsedMs }: TaskProgress) => void elapsed.push(elapsedMs)
    await vi.advanceTimersByTimeAsync(1000)
    const summary = bulk([1, 2], worker, { concurrency: 1, onProgress }).summary()
    await vi.runAllTimersAsync()
    expect(elapsed).toEqual([50, 100])
    expect((await summary).elapsedMs).toBe(100)
  })

  it('and the summary have a correct elapsed time after fake timers end', async () => {
    vi.useFakeTimers().advanceTimersByTime(86_400_000)
    const elapsed: number[] = []
    const onProgress = ({ elapsedMs, etaMs }: TaskProgress) => void elapsed.push(elapsedMs, etaMs!)
    const run = bulk(numbers(5), async () => vi.useRealTimers(), { concurrency: 1, onProgress })
    const { elapsedMs } = await run.summary()
    for (const ms of [...elapsed, elapsedMs]) expect(ms).toBeGreaterThanOrEqual(0)
  })

  it('estimates the time left by the rate limit if that is longer than by the pace so far', async () => {
    const { client } = createLimitedClient(5)
    const etas: (number | undefined)[] = []
    const onProgress = ({ etaMs }: TaskProgress) => void etas.push(etaMs)
    const run = bulk(numbers(20), () => client.account.get(), { client, concurrency: 1, onProgress }).summary()
    await vi.advanceTimersByTimeAsync(0)
    // 15 more items are three more windows.
    expect(etas[4]! / 60_000).toBeCloseTo(3, 1)
    await vi.advanceTimersByTimeAsync(600_000)
    await run
    expect(etas.at(-1)).toBe(0)
  })

  it('estimates the time left by the pace without a rate limit, and has no estimate without a total', async () => {
    vi.useFakeTimers()
    const etas: (number | undefined)[] = []
    const onProgress = ({ etaMs }: TaskProgress) => void etas.push(etaMs)
    const worker = () => new Promise<void>((resolve) => setTimeout(resolve, 20))
    const run = bulk(numbers(20), worker, { onProgress, concurrency: 2 }).summary()
    await vi.runAllTimersAsync()
    await run
    // Ten items of 20 ms, two at a time.
    expect(etas[9]).toBeCloseTo(100)
    vi.useRealTimers()
    etas.length = 0
    await bulk(new Map([[1, 1]]).keys(), async () => {}, { onProgress }).summary()
    expect(etas).toEqual([undefined])
  })
})

/** Creates a client that may send `requests` per minute, and a function that returns the paths it has sent. */
function createLimitedClient(requests: number, options: ShortLinkClientOptions = {}) {
  vi.useFakeTimers()
  const sandbox = createSandbox({ data: { links: Array.from({ length: 100 }, () => ({})) } })
  const rateLimit = { requests, interval: 60_000 }
  const client = new ShortLinkClient({ ...sandbox.clientOptions, logLevel: 'off', ...options, rateLimit })
  const sent = () => sandbox.requests.map(({ path }) => path.replace('/api', ''))
  return { client, sent }
}

describe('a rate limit', () => {
  it('that is used up delays items and their journal entries', async () => {
    const { client } = createLimitedClient(1)
    await client.links.get(1)
    const journal = memoryJournal()
    const run = bulk([2], (id) => client.links.get(id), { client, journal, key: String }).summary()
    await vi.advanceTimersByTimeAsync(59_000)
    expect(journal.entries).toEqual([])
    await vi.advanceTimersByTimeAsync(5_000)
    await run
    expect(journal.entries).toHaveLength(2)
  })

  it('that allows two requests starts two items, even with a slow journal and a concurrency of ten', async () => {
    const { client } = createLimitedClient(2)
    const written: JournalEntry[] = []
    const journal: Journal = {
      read: () => [],
      write: async (entry) => {
        written.push(entry)
        for (let turn = 0; turn < 20; turn++) await Promise.resolve()
      },
    }
    const run = bulk(numbers(50), (item) => client.links.get(item + 1), { client, journal, key: String })
    const summary = run.summary()
    await vi.advanceTimersByTimeAsync(30_000)
    expect(written.filter(({ state }) => state === 'begun')).toHaveLength(2)
    await run[Symbol.asyncDispose]()
    await expect(summary).rejects.toMatchObject({ code: 'aborted' })
  })

  it('does not delay items that send no requests', async () => {
    const { client } = createLimitedClient(1)
    const summary = await bulk(numbers(50), async () => {}, { client, journal: memoryJournal(), key: String }).summary()
    expect(summary.done).toBe(50)
  })

  it('lets calls with a higher priority go first', async () => {
    const { client, sent } = createLimitedClient(5)
    const work = bulk(numbers(20), (item) => client.links.get(item + 1), { client }).summary()
    await vi.advanceTimersByTimeAsync(1000)
    expect(sent()).toHaveLength(5)
    const visits = [1, 2, 3].map(() => client.account.get())
    await vi.advanceTimersByTimeAsync(61_000)
    expect(sent().slice(5, 8)).toEqual(Array(3).fill('/account'))
    await Promise.all(visits)
    await vi.advanceTimersByTimeAsync(600_000)
    expect(await work).toMatchObject({ done: 20 })
  })
})

describe('a journal', () => {
  const run = async (entries: JournalEntry[], options: BulkOptions<string> = {}) => {
    const journal = memoryJournal(entries)
    const worked: string[] = []
    const worker = async (item: string) => {
      worked.push(item)
      return item.toUpperCase()
    }
    const key = (item: string) => item
    const results = await collect(bulk(['a', 'b', 'c', 'd'], worker, { journal, key, concurrency: 1, ...options }))
    return { worked, results, journal }
  }

  it('records each item before and after its work', async () => {
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

  it('skips items that are done, repeats items that were certainly not done, and reports unknown ones', async () => {
    const { worked, results } = await run([...earlier])
    expect(worked).toEqual(['b', 'd'])
    const reported = results.filter(({ ok }) => !ok)
    expect(reported).toEqual([
      { ok: false, item: 'c', index: 2, outcome: 'unknown', error: expect.any(UnknownOutcomeError) },
    ])
    expect(String(reported.map((result) => !result.ok && result.error))).toBe(
      'UnknownOutcomeError: an earlier run began this item, and its outcome is unknown: it may have been done',
    )
    // The outcome is still unknown, so the next run reports it again.
    expect((await run([...earlier, { key: 'd', state: 'unknown' }])).results).toHaveLength(3)
  })

  it('repeats items that may have been done if onUnknown is retry', async () => {
    expect((await run([...earlier], { onUnknown: 'retry' })).worked).toEqual(['b', 'c', 'd'])
  })

  it('requires `key`, and the error shows an example', () => {
    const options = { journal: memoryJournal() }
    expect(() => bulk([1], async () => {}, options)).toThrow(
      'bulk: key: is missing. A journal identifies items by their key, for example `key: (item) => item.id`',
    )
    expect(options.journal.entries).toEqual([])
  })

  it('rejects a key that an earlier item has, because the journal could not distinguish them', async () => {
    const journal = memoryJournal()
    const worked: string[] = []
    const worker = async (item: string) => void worked.push(item)
    const run = bulk(['a', 'b', 'a'], worker, { journal, key: (item) => item, concurrency: 1 })
    await expect(run.summary()).rejects.toThrow('bulk: key: item 2 has the key "a" of an earlier item')
    expect(worked).toEqual(['a', 'b'])
  })

  it('identifies items by their key, which may be a number, in any order', async () => {
    const journal = memoryJournal()
    const options = { journal, key: (item: number) => item }
    await bulk([10, 11], () => {}, options).summary()
    expect(journal.entries[0]).toEqual({ key: '10', state: 'begun' })
    expect(await bulk([11, 10], () => {}, options).summary()).toMatchObject({ skipped: 2 })
  })

  it('records an item as not sent if the run ends while the start of the item is recorded', async () => {
    const controller = new AbortController()
    const worker = vi.fn()
    const entries: JournalEntry[] = []
    const journal: Journal = {
      read: () => [],
      write: (entry) => {
        entries.push(entry)
        controller.abort('enough')
      },
    }
    const key = (item: string) => item
    const results: unknown[] = []
    const taken: string[] = []
    function* items() {
      for (const item of ['a', 'b', 'c']) {
        taken.push(item)
        yield item
      }
    }
    const run = bulk(items(), worker, { journal, key, signal: controller.signal })
    const ended = (async () => {
      for await (const result of run) results.push(result)
    })()
    await expect(ended).rejects.toMatchObject({ code: 'aborted', cause: 'enough' })
    expect(entries).toEqual([
      { key: 'a', state: 'begun' },
      { key: 'a', state: 'not-sent' },
    ])
    expect([taken, results]).toEqual([['a'], []])
    expect(worker).not.toHaveBeenCalled()
  })

  it.each([
    ['did not interrupt', true, ['begun', 'done']],
    ['interrupted, as begun, because it may have been done', false, ['begun']],
  ])('records an item that an abort %s', async (_what, isEnded, states) => {
    const journal = memoryJournal()
    const controller = new AbortController()
    const { worker, begun, end } = createManualWorker()
    const run = bulk([1], worker, { journal, key: String, signal: controller.signal }).summary()
    await begun(1)
    if (isEnded) end(1)
    controller.abort('enough')
    await expect(run).rejects.toMatchObject({ code: 'aborted', cause: 'enough' })
    expect(journal.entries.map(({ state }) => state)).toEqual(states)
  })

  it('that cannot be written ends the run before any worker is called', async () => {
    const worker = vi.fn(async () => {})
    const journal: Journal = { read: () => [], write: () => Promise.reject(new Error('disk full')) }
    await expect(bulk(numbers(10), worker, { journal, key: String }).summary()).rejects.toThrow('disk full')
    expect(worker).not.toHaveBeenCalled()
  })

  it('that fails to open ends the run, and is not closed, because another run may be using it', async () => {
    const worker = vi.fn()
    const journal = { ...memoryJournal(), open: () => Promise.reject(new Error('in use')) }
    const run = bulk([1], worker, { journal, key: String })
    await expect(run.summary()).rejects.toThrow('in use')
    expect(journal.close).not.toHaveBeenCalled()
    expect(worker).not.toHaveBeenCalled()
    expect(await run.summary()).toMatchObject({ done: 0 })
  })

  it('that fails to close rejects the run, but the summary is still available', async () => {
    const journal = { ...memoryJournal(), close: () => Promise.reject(new Error('cannot close')) }
    const run = bulk([1], async () => {}, { journal, key: String })
    await expect(collect(run)).rejects.toThrow('cannot close')
    expect(await run.summary()).toMatchObject({ done: 1 })
  })

  describe('with replay', () => {
    it('returns the results of earlier runs too, from the recorded data', async () => {
      const first = await run([], { replay: true })
      expect(first.journal.entries[1]).toEqual({ key: 'a', state: 'done', data: 'A' })
      expect(first.results.map((result) => result.ok && result.replayed)).toEqual([false, false, false, false])
      const second = await run(first.journal.entries.slice(0, 4), { replay: true })
      expect(second.worked).toEqual(['c', 'd'])
      expect(second.results.map((result) => result.ok && [result.item, result.data, result.replayed])).toEqual([
        ['a', 'A', true],
        ['b', 'B', true],
        ['c', 'C', false],
        ['d', 'D', false],
      ])
      expect(second.results[0]).toEqual({ ok: true, item: 'a', index: 0, data: 'A', outcome: 'done', replayed: true })
    })

    it('skips items that are done but have no recorded data', async () => {
      const { worked, results } = await run([{ key: 'a', state: 'done' }], { replay: true })
      expect(worked).toEqual(['b', 'c', 'd'])
      expect(results.map(({ item }) => item)).toEqual(['b', 'c', 'd'])
    })

    it('records null for a worker that returns nothing', async () => {
      const journal = memoryJournal()
      await bulk([1], () => {}, { journal, key: String, replay: true }).summary()
      expect(await collect(bulk([1], () => {}, { journal, key: String, replay: true }))).toMatchObject([
        { data: null, replayed: true },
      ])
    })

    it('is off by default: no data is recorded, and items that are done have no results', async () => {
      const { journal } = await run([])
      expect(journal.entries.some((entry) => 'data' in entry)).toBe(false)
      const { results } = await run([{ key: 'a', state: 'done', data: 'A' }])
      expect(results.map(({ item }) => item)).toEqual(['b', 'c', 'd'])
    })
  })
})
