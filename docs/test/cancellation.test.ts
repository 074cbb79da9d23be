/** Checks that libraries treat a call that they, or a user, abort as a cancellation, not as a failure. */
import assert from 'node:assert/strict'
import { QueryClient, QueryObserver } from '@tanstack/react-query'
import { Window } from 'happy-dom'
import { createElement, StrictMode, useEffect, useState } from 'react'
import { Observable, Subject, switchMap } from 'rxjs'
import { isShortLinkError, type Link, type Page, ShortLinkClient } from 'shortlink-sdk'
import { createSandbox } from 'shortlink-sdk/testing'
import useSWR from 'swr'
import { test, vi } from 'vitest'

const window = new Window({ url: 'https://shop.example/' })
for (const [name, value] of Object.entries({ window, document: window.document, navigator: window.navigator })) {
  vi.stubGlobal(name, value)
}
const { createRoot } = await import('react-dom/client')

/** Creates a sandbox with one link, whose first list stalls, and a client that records the errors of its calls. */
function start() {
  const sandbox = createSandbox({ data: { links: [{ alias: 'sale', url: 'https://shop.example/sale' }] } })
  sandbox.fail({ path: '/urls', stall: true })
  const failures: unknown[] = []
  const client = new ShortLinkClient({ ...sandbox.clientOptions, onError: ({ error }) => void failures.push(error) })
  const requests = (count: number) => waitUntil(() => sandbox.requests.length === count)
  return { sandbox, client, failures, requests }
}

async function waitUntil(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 1))
}

const describeError = (error: unknown) => (isShortLinkError(error) ? `${error.name} ${error.outcome}` : error)

const aliases = (page: Page<Link> | undefined) => page?.items.map(({ alias }) => alias).join()

test('TanStack Query: a query without observers is canceled without an error, and can be fetched again', async () => {
  const { client, failures, requests } = start()
  const queries = new QueryClient()
  const queryFn = ({ signal }: { signal: AbortSignal }) => client.links.list({}, { signal })
  const query = { queryKey: ['links'], queryFn }
  const stop = new QueryObserver(queries, query).subscribe(() => {})
  await requests(1)

  stop()

  await waitUntil(() => failures.length > 0)
  assert.deepEqual(failures.map(describeError), ['AbortError unknown'])
  const { error, fetchFailureCount } = queries.getQueryState(['links'])!
  assert.deepEqual({ error, fetchFailureCount }, { error: null, fetchFailureCount: 0 })
  assert.equal(aliases(await queries.fetchQuery(query)), 'sale')
  queries.clear()
})

/** Like `fromFetch` of RxJS, creates an Observable that aborts the call when it is unsubscribed. */
const fromCall = <T>(call: (signal: AbortSignal) => PromiseLike<T>) =>
  new Observable<T>((subscriber) => {
    const controller = new AbortController()
    call(controller.signal).then(
      (value) => {
        subscriber.next(value)
        subscriber.complete()
      },
      (error: unknown) => subscriber.error(error),
    )
    return () => controller.abort()
  })

test('RxJS: switchMap aborts the previous call, whose error is ignored', async () => {
  const { client, failures, requests } = start()
  const searches = new Subject<string>()
  const found: unknown[] = []
  const errors: unknown[] = []
  searches
    .pipe(switchMap(() => fromCall((signal) => client.links.list({}, { signal }))))
    .subscribe({ next: (page) => void found.push(aliases(page)), error: (error) => void errors.push(error) })
  searches.next('sa')
  await requests(1)

  searches.next('sale')

  await waitUntil(() => found.length > 0)
  assert.deepEqual([found, errors], [['sale'], []])
  assert.deepEqual(failures.map(describeError), ['AbortError unknown'])
})

/** Renders a component, and returns its text. */
function render(component: () => string) {
  const root = createRoot(document.createElement('main'))
  let shown = 'loads'
  const Shown = () => {
    shown = component()
    return shown
  }
  root.render(createElement(StrictMode, null, createElement(Shown)))
  return { text: () => shown, unmount: () => root.unmount() }
}

test('React: an effect that StrictMode runs twice, or that is cleaned up, aborts its call and shows no error', async () => {
  const { client, failures, requests } = start()
  const component = () => {
    const [shown, show] = useState('loads')
    useEffect(() => {
      const controller = new AbortController()
      client.links.list({}, { signal: controller.signal }).then(
        (page) => show(aliases(page)!),
        (error) => {
          if (error.name !== 'AbortError') show(String(error))
        },
      )
      return () => controller.abort()
    }, [])
    return shown
  }
  const left = render(component)
  await requests(1)

  left.unmount()

  await waitUntil(() => failures.length === 2)
  assert.deepEqual(failures.map(describeError), ['AbortError not-sent', 'AbortError unknown'])
  assert.equal(left.text(), 'loads')
  const { text, unmount } = render(component)
  await waitUntil(() => text() !== 'loads')
  assert.equal(text(), 'sale')
  unmount()
})

test('SWR: an AbortError is not retried, and the call can be made again', async () => {
  const { client, failures, requests } = start()
  let controller = new AbortController()
  let again = async () => {}
  const { text, unmount } = render(() => {
    const { data, error, isValidating, mutate } = useSWR(
      'links',
      () => client.links.list({}, { signal: controller.signal }),
      {
        shouldRetryOnError: (error: Error) => error.name !== 'AbortError',
        errorRetryInterval: 1,
      },
    )
    again = async () => void (await mutate())
    return `${aliases(data) ?? 'nothing'}, ${error?.name ?? 'no error'}, ${isValidating ? 'loads' : 'idle'}`
  })
  await requests(1)

  controller.abort()

  await waitUntil(() => text() === 'nothing, AbortError, idle')
  assert.deepEqual(failures.map(describeError), ['AbortError unknown'])
  controller = new AbortController()
  await again()

  await waitUntil(() => text() === 'sale, no error, idle')
  await requests(2)
  unmount()
})
