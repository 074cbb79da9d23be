import { isShortLinkError } from 'shortlink-sdk'
import { client } from '../shortlink'

function expect(actual, expected) {
  const [one, other] = [actual, expected].map((value) => JSON.stringify(value))
  if (one !== other) throw new Error(`expected ${other}, got ${one}`)
}

export const checks = {
  async 'lists one page'() {
    const { items } = await client.links.list()
    expect([items.length, items[0].shorturl.startsWith('https://')], [15, true])
  },
  async 'walks every page with for await'() {
    let count = 0
    for await (const { id } of client.links.list({ limit: 50 })) count += id > 0 ? 1 : 0
    expect(count, 120)
  },
  async creates() {
    const { shorturl } = await client.links.create({ url: 'https://shop.example/äpfel?a=1', custom: 'apples' })
    expect(shorturl.endsWith('/apples'), true)
  },
  async 'uploads bytes'() {
    const { id } = await client.files.upload('note.txt', new Uint8Array([116, 101, 97]))
    expect(id > 0, true)
  },
  async 'tells the progress of an upload'() {
    const steps = []
    const onProgress = ({ loaded, total }) => steps.push([loaded, total])
    await client.files.upload('note.txt', new Uint8Array(1000), {}, { onProgress })
    expect(steps, [[1000, 1000]])
  },
  async 'an error of the platform is told apart by its code'() {
    const result = await client.campaigns.delete(9999).safe()
    expect([result.ok, isShortLinkError(result.error), result.error.code], [false, true, 'not_found'])
  },
  async 'an abort rejects with an AbortError, whose cause is the reason where the signal keeps it'() {
    const controller = new AbortController()
    const call = client.account.get({ signal: controller.signal })
    controller.abort(new Error('left the screen'))
    const error = await call.catch((thrown) => thrown)
    expect([error instanceof Error, error.name, error.code], [true, 'AbortError', 'aborted'])
    expect(error.cause.message, controller.signal.reason ? 'left the screen' : 'This operation was aborted')
  },
  async 'a timeout rejects with its own error'() {
    const result = await client.qr.get(1, { timeout: 50, retry: 0 }).safe()
    expect([result.ok, result.error.code], [false, 'timeout'])
  },
  async 'tries again after a 502 of the proxy'() {
    expect((await client.channels.list()).items.length > 0, true)
  },
}
