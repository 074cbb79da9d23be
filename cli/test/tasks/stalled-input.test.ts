/** Tasks whose input returns an item and then stalls. */
import { bulk, importLinks, type LinkRow, reportLinks, syncLinks } from 'shortlink-cli'
import type { ShortLinkClient } from 'shortlink-sdk'
import { describe, expect, test, vi } from 'vitest'
import { memoryJournal, setUp } from './set-up.ts'

const row = { url: 'https://shop.example/tea', custom: 'tea' }

/** Creates a source that stalls after one item, and records whether it is returned. */
function createStalledSource<T>(item: T) {
  const returned = vi.fn()
  let reached = () => {}
  const stalls = new Promise<void>((resolve) => {
    reached = resolve
  })
  const iterator = {
    items: [item],
    next(): Promise<IteratorResult<T>> {
      const value = this.items.pop()
      if (value !== undefined) return Promise.resolve({ done: false, value })
      reached()
      return new Promise(() => {})
    },
    return(): Promise<IteratorResult<T>> {
      returned()
      // Like a generator that stalls.
      return new Promise(() => {})
    },
  }
  return { source: { [Symbol.asyncIterator]: () => iterator }, stalls, returned }
}

type Source = AsyncIterable<LinkRow & { id: number; clicks: number }>

const tasks: Record<string, (client: ShortLinkClient, rows: Source, signal?: AbortSignal) => AsyncIterable<unknown>> = {
  bulk: (client, rows, signal) => bulk(rows, async () => 1, { client, signal }),
  'bulk with a journal': (_, rows, signal) =>
    bulk(rows, async () => 1, { journal: memoryJournal(), key: ({ id }) => id, signal }),
  importLinks: (client, rows, signal) => importLinks(client, rows, { journal: memoryJournal(), signal }),
  'importLinks with dryRun': (client, rows, signal) => importLinks(client, rows, { dryRun: true, signal }),
  syncLinks: (client, rows, signal) => syncLinks(client, rows, { apply: true, signal }),
  reportLinks: (client, rows, signal) => reportLinks(client, { previous: rows, signal }),
}

describe.each(Object.entries(tasks))('%s whose input stalls', (_, start) => {
  const item = { ...row, id: 1, clicks: 1 }

  test('ends when its signal aborts, and returns the source', async () => {
    const { sandbox, client } = setUp()
    const { source, stalls, returned } = createStalledSource(item)
    const controller = new AbortController()
    const walk = async () => {
      for await (const _ of start(client, source, controller.signal));
    }
    const ended = walk()
    await stalls
    controller.abort('enough')
    await expect(ended).rejects.toMatchObject({
      name: 'AbortError',
      code: 'aborted',
      outcome: 'not-sent',
      cause: 'enough',
    })
    expect(returned).toHaveBeenCalledTimes(1)
    expect(sandbox.requests).toHaveLength(0)
  })

  test('ends when it is disposed', async () => {
    const { client } = setUp()
    const { source, stalls, returned } = createStalledSource(item)
    const task = start(client, source) as ReturnType<typeof bulk>
    const walk = async () => {
      for await (const _ of task);
    }
    const ended = walk()
    await stalls
    await task[Symbol.asyncDispose]()
    await ended.catch((error) => expect(error).toMatchObject({ code: 'aborted' }))
    expect(returned).toHaveBeenCalledTimes(1)
  })
})

test('leaving the loop ends a bulk run whose input stalls', async () => {
  const { source, returned } = createStalledSource(1)
  for await (const { ok } of bulk(source, async () => 1)) {
    expect(ok).toBe(true)
    break
  }
  expect(returned).toHaveBeenCalledTimes(1)
})

test('running items still return a result when a run whose input stalls is aborted', async () => {
  const { source, stalls } = createStalledSource(1)
  const controller = new AbortController()
  const results: unknown[] = []
  const worker = async () => {
    await stalls
    controller.abort()
    return 'done'
  }
  const walk = async () => {
    for await (const { data } of bulk(source, worker, { signal: controller.signal })) results.push(data)
  }
  await expect(walk()).rejects.toMatchObject({ code: 'aborted' })
  expect(results).toEqual(['done'])
})

test('an unreachable server ends a run whose input stalls', async () => {
  const { sandbox, client } = setUp()
  sandbox.fail({ drop: 'before', times: Infinity })
  const rows = async function* () {
    yield* [1, 2, 3, 4, 5]
    await new Promise(() => {})
  }
  await expect(bulk(rows(), () => client.account.get(), { client }).summary()).rejects.toMatchObject({
    code: 'connection',
  })
})

test('a source that fails after an abort causes no unhandled rejection', async () => {
  const controller = new AbortController()
  let fail = (_: Error) => {}
  const source = {
    [Symbol.asyncIterator]: () => ({
      next: () =>
        new Promise<IteratorResult<number>>((_, reject) => {
          fail = reject
        }),
    }),
  }
  const unhandled = vi.fn()
  process.on('unhandledRejection', unhandled)
  const summary = bulk(source, async () => 1, { signal: controller.signal }).summary()
  const ended = expect(summary).rejects.toMatchObject({ code: 'aborted' })
  await new Promise(setImmediate)
  controller.abort()
  await ended
  fail(new Error('closed'))
  await new Promise(setImmediate)
  process.off('unhandledRejection', unhandled)
  expect(unhandled).not.toHaveBeenCalled()
})
