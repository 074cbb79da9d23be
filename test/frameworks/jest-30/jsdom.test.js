/** @jest-environment jsdom */
const { ShortLinkClient } = require('shortlink-sdk')
const { createSandbox } = require('shortlink-sdk/testing')

test('a component that imports the client can be tested, and a call says which environment it needs', async () => {
  const client = new ShortLinkClient(createSandbox().clientOptions)

  await expect(client.account.get()).rejects.toThrow('use jest-fixed-jsdom or `@jest-environment node`')
})
