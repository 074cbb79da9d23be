import { trace } from '@opentelemetry/api'
import { InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node'
import { afterAll, beforeEach, expect, it } from 'vitest'
import { startTracing } from '../../../../examples/tracing.ts'
import { connect, KEY } from '../../../helpers/client.ts'
import { until } from '../../../helpers/outcome.ts'
import { account, splashPages } from '../../../helpers/responses.ts'
import { serve } from '../../../helpers/server.ts'

const exporter = new InMemorySpanExporter()
const provider = startTracing([new SimpleSpanProcessor(exporter)])
const tracer = trace.getTracer('a program')

beforeEach(() => exporter.reset())
afterAll(() => provider.shutdown())

const attempts = () =>
  exporter.getFinishedSpans().filter(({ instrumentationScope }) => instrumentationScope.name !== 'a program')

/** Runs work in a span, and returns the id of that span. */
function below(name: string, work: () => Promise<unknown>): Promise<string> {
  return tracer.startActiveSpan(name, async (span) => {
    await work()
    span.end()
    return span.spanContext().spanId
  })
}

it('every attempt of a call is a child of the program’s span', async () => {
  const server = await serve({ status: 503, headers: { 'Retry-After': '0' } }, { body: account })
  const parent = await below('checkout', () => connect(server, { retry: 1 }).account.get())
  await until(() => attempts().length === 2)
  expect(attempts().map(({ parentSpanContext }) => parentSpanContext?.spanId)).toEqual([parent, parent])
  expect(attempts().map(({ attributes }) => attributes['http.response.status_code'])).toEqual([503, 200])
  expect(attempts().map(({ attributes }) => attributes['url.full'])).toEqual(
    Array(2).fill(`${server.origin}/api/account`),
  )
  expect(JSON.stringify(attempts().map(({ attributes, events }) => [attributes, events]))).not.toContain(KEY)
})

it('a span has the URL that was sent, including a password, as the guide says', async () => {
  const server = await serve({ body: { error: 0, id: 1, shorturl: 'https://sho.rt/a' } })
  await connect(server).files.upload('a.txt', new Blob(['a']), { password: 'correct horse' })
  await until(() => attempts().length === 1)
  expect(attempts()[0]!.attributes['url.full']).toContain('password=correct%20horse')
})

it('concurrent calls that wait for the rate limit each have their own parent', async () => {
  const server = await serve({ body: account })
  const client = connect(server, { rateLimit: { requests: 1, interval: 30 }, logLevel: 'off' })
  const names = ['first', 'second', 'third']
  const parents = await Promise.all(names.map((name) => below(name, () => client.account.get())))
  await until(() => attempts().length === 3)
  expect(attempts().map(({ parentSpanContext }) => parentSpanContext?.spanId)).toEqual(parents)
})

it('every page of a list is a child of the program’s span, and the server receives the trace', async () => {
  const server = await serve(splashPages(6, 2))
  const parent = await below('export', () => connect(server).splash.list({ limit: 2 }).toArray())
  await until(() => attempts().length === 3)
  expect(attempts().map(({ parentSpanContext }) => parentSpanContext?.spanId)).toEqual([parent, parent, parent])
  const { traceId } = attempts()[0]!.spanContext()
  for (const { headers } of server.seen) expect(headers.traceparent).toContain(traceId)
})
