import { createSandbox } from 'shortlink-sdk/testing'
import { expect, test } from 'vitest'
import { serve } from '../../../src/testing/server.ts'

test('a server of `serve` in an `await using` stops listening when its block ends', async () => {
  let baseUrl: string
  {
    await using server = await serve(createSandbox())
    baseUrl = server.baseUrl
    expect((await fetch(`${baseUrl}/campaigns`)).status).toBe(401)
  }
  await expect(fetch(`${baseUrl}/campaigns`)).rejects.toThrow()
})
