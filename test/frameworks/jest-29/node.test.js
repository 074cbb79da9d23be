/** @jest-environment node */
require('./build/promises.js')

test('a spy on what is exported reaches `import * as` that Babel or TypeScript has compiled', () => {
  const sdk = require('shortlink-sdk')
  const client = {}
  jest.spyOn(sdk, 'ShortLinkClient').mockReturnValue(client)
  expect(new sdk.ShortLinkClient()).toBe(client)
  // Otherwise they make a copy.
  expect(sdk.__esModule).toBe(true)
})
