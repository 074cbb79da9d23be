/** How to test your own app with Vitest, against the mock server in memory. */
import { NotFoundError, ServerError, ShortLinkClient } from 'shortlink-sdk'
import { createSandbox } from 'shortlink-sdk/testing'
import { afterEach, describe, expect, test } from 'vitest'

/** The app under test: opens a campaign for a product and puts its link into it. */
async function launch(client: ShortLinkClient, product: string, linkId: number): Promise<string | false | undefined> {
  const campaign = await client.campaigns.create({ name: product, slug: product, public: true })
  try {
    await client.campaigns.assignLink(campaign.id, linkId)
  } catch (error) {
    await client.campaigns.delete(campaign.id)
    throw error
  }
  return campaign.rotator
}

// Real servers respond in other forms than the reference. The client hides the difference.
describe.each(['reference', 'deployed'] as const)('launch, with the responses of the dialect %s', (dialect) => {
  const sandbox = createSandbox({ dialect, data: { links: [{ longurl: 'https://shop.example/tea' }] } })
  const client = new ShortLinkClient({ ...sandbox.clientOptions, retry: 0 })
  afterEach(() => sandbox.reset())

  test('returns the address of the rotator', async () => {
    expect(await launch(client, 'tea', 1)).toBe('https://sho.rt/r/tea')
    expect(sandbox.data.campaigns).toMatchObject([{ name: 'tea', public: true, links: [1] }])
  })

  test('leaves no campaign behind when the link does not exist', async () => {
    await expect(launch(client, 'tea', 99)).rejects.toBeInstanceOf(NotFoundError)
    expect(sandbox.data.campaigns).toEqual([])
  })

  test('throws a ServerError when the platform is down', async () => {
    sandbox.fail({ status: 503 })
    await expect(launch(client, 'tea', 1)).rejects.toBeInstanceOf(ServerError)
    expect(sandbox.requests).toHaveLength(1)
  })
})

test('a wait of a minute takes no time', async () => {
  const sandbox = createSandbox({ rateLimit: { requests: 1, interval: 60_000 } })
  const client = new ShortLinkClient(sandbox.clientOptions)
  await client.account.get()
  const second = client.account.get()
  sandbox.advance(60_000)
  await second
  expect(sandbox.requests.map(({ status }) => status)).toEqual([200, 200])
})
