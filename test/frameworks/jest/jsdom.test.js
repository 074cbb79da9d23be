/** @jest-environment jsdom */

test('an import fails, because jest-environment-jsdom hides the TextEncoder of Node: use jest-fixed-jsdom', () => {
  expect(() => require('shortlink-sdk')).toThrow('TextEncoder is not defined')
})
