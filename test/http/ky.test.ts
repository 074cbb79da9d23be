import { expect, it } from 'vitest'
import type { ShortLinkClient } from '../../src/index.ts'
import { account } from '../helpers/answers.ts'
import { connect } from '../helpers/client.ts'
import { type Canned, serve } from '../helpers/server.ts'

const refused: Canned = { status: 429, headers: { 'Retry-After': '0' } }

/** What a call that is refused once does while a method of ky's class runs: `slot`, and `retry` for the wait. */
async function doneByKy(call: (client: ShortLinkClient) => PromiseLike<unknown>, answer: Canned) {
  const done: string[] = []
  const note = (what: string, method: RegExp) => {
    const frames = new Error().stack!.split('\n').filter((line) => line.includes('/ky/distribution/'))
    done.push(frames.some((frame) => method.test(frame)) ? what : `${what} without ky`)
  }
  const server = await serve(refused, answer)
  const rateLimit = { acquire: () => void note('slot', /#fetch/), observe() {}, state: {} } as never
  await call(connect(server, { retry: 1, rateLimit, onRetry: () => note('retry', /#retry/) }))
  expect(server.seen).toHaveLength(2)
  return done
}

const attempts = ['slot', 'retry', 'slot']

it('ky makes the attempts of a call: it takes a slot before each, and decides and waits between them', async () => {
  expect(await doneByKy((client) => client.account.get(), { body: account })).toEqual(attempts)
})

it('ky makes the attempts of an upload, too', async () => {
  const uploaded = { body: { error: 0, id: 1, shorturl: 'https://sho.rt/a' } }
  const upload = (client: ShortLinkClient) => client.files.upload('a.txt', new Blob(['a']))
  expect(await doneByKy(upload, uploaded)).toEqual(attempts)
})
