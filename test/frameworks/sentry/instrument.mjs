import { createTransport } from '@sentry/core'
import * as Sentry from '@sentry/node'

/** What Sentry would send, as text. */
export const envelopes = []

Sentry.init({
  dsn: 'https://public@sentry.example/1',
  tracesSampleRate: 1,
  sendDefaultPii: true,
  transport: (options) =>
    createTransport(options, async ({ body }) => {
      envelopes.push(typeof body === 'string' ? body : Buffer.from(body).toString('utf8'))
      return { statusCode: 200 }
    }),
})
