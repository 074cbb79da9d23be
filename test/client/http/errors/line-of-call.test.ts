import type { ShortLinkClient, ShortLinkError } from 'shortlink-sdk'
import { describe, expect, it } from 'vitest'
import { connect } from '../../../helpers/client.ts'
import { page } from '../../../helpers/responses.ts'
import { closedOrigin, serve } from '../../../helpers/server.ts'

/** Returns the function in the first stack frame of the error that a call rejects with. */
async function firstFrame(call: () => PromiseLike<unknown>): Promise<string> {
  const error = await Promise.resolve(call()).then(
    () => undefined,
    (error: ShortLinkError) => error,
  )
  const [header, frame = ''] = error!.stack!.split(/\n(?= +at )/)
  expect(header).toBe(`${error!.name}: ${error!.message}`)
  expect(error!.stack).not.toMatch(/src\/(http|resources|client)/)
  expect(frame).toContain('line-of-call.test.ts')
  return frame
}

const refusing = async (): Promise<ShortLinkClient> => connect({ origin: await closedOrigin() })

describe('the stack of an error begins at the line that made the call', () => {
  it('if the connection is refused', async () => {
    const client = await refusing()
    async function caller() {
      await null
      return await client.campaigns.create({ name: 'a' })
    }
    expect(await firstFrame(caller)).toMatch(/ at caller /)
  })

  it('if the call was retried', async () => {
    const server = await serve({ status: 503, headers: { 'Retry-After': '0' } })
    const client = connect(server, { retry: 3 })
    async function caller() {
      return await client.account.get()
    }
    expect(await firstFrame(caller)).toMatch(/ at caller /)
  })

  it('if a parameter is invalid', async () => {
    const client = await refusing()
    const caller = async () => await client.pixels.delete(0)
    expect(await firstFrame(caller)).toMatch(/ at caller /)
  })

  it('if a call makes several requests', async () => {
    const client = await refusing()
    async function caller() {
      return await client.links.ensure({ url: 'https://shop.example', custom: 'tea' })
    }
    expect(await firstFrame(caller)).toMatch(/ at caller /)
  })

  it('if the call has the options `safe` or `withResponse`', async () => {
    const client = await refusing()
    async function caller() {
      const { error } = await client.account.get().safe()
      throw error
    }
    expect(await firstFrame(caller)).toMatch(/ at caller /)
    const other = async () => await client.campaigns.list().withResponse()
    expect(await firstFrame(other)).toMatch(/ at (async )?other /)
  })

  it('of a list: at the line that created it, however it is used', async () => {
    const client = await refusing()
    const create = () => client.campaigns.list()
    const uses: ((list: ReturnType<typeof create>) => Promise<unknown>)[] = [
      async (list) => await list,
      (list) => list.withResponse(),
      (list) => list.toArray(),
      async (list) => {
        for await (const row of list) void row
      },
      async (list) => {
        for await (const one of list.pages()) void one
      },
    ]
    for (const use of uses) {
      const list = create()
      await null
      expect(await firstFrame(() => use(list))).toMatch(/ at create /)
    }
  })

  it('of a list whose third page fails', async () => {
    const rows = (id: number) => [{ id, name: 'a', public: 1, rotator: false, list: '' }]
    const pages = [1, 2].map((number) =>
      page('campaigns', rows(number), { result: 3, perpage: 1, currentpage: number, nextpage: null, maxpage: 3 }),
    )
    const server = await serve(...pages, { status: 500, body: { error: 1, message: 'no' } })
    const client = connect(server)
    async function caller() {
      for await (const row of client.campaigns.list()) void row
    }
    expect(await firstFrame(caller)).toMatch(/ at caller /)
    expect(server.seen).toHaveLength(3)
  })
})
