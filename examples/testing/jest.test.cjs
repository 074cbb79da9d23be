/**
 * How to test your own app with Jest, in CommonJS and without a network. The packages are ES modules, so below Node
 * 24.9, jest.config.js needs a transform to CommonJS, and this setting:
 *
 *     transformIgnorePatterns: ['/node_modules/(?!(shortlink-sdk|ky)/)'],
 */
const { ShortLinkClient, isShortLinkError } = require('shortlink-sdk')
const { createSandbox } = require('shortlink-sdk/testing')

/** The app under test: keeps a name, or adds a number if the platform rejects it as taken. */
async function openChannel(client, name) {
  for (let number = 1; ; number += 1) {
    const wanted = number === 1 ? name : `${name} ${number}`
    try {
      return await client.channels.create({ name: wanted })
    } catch (error) {
      if (!isShortLinkError(error) || error.outcome !== 'rejected' || number === 5) throw error
    }
  }
}

const sandbox = createSandbox({ data: { channels: [{ name: 'News' }] } })
const client = new ShortLinkClient(sandbox.clientOptions)
afterEach(() => sandbox.reset())

test('a free name is kept', async () => {
  expect(await openChannel(client, 'Offers')).toMatchObject({ id: 2, name: 'Offers' })
})

test('a taken name gets a number', async () => {
  expect(await openChannel(client, 'News')).toMatchObject({ id: 2, name: 'News 2' })
  expect(sandbox.requests.map(({ body, done }) => [body.name, done])).toEqual([
    ['News', false],
    ['News 2', true],
  ])
})
