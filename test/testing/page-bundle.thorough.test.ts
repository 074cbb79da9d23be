import { rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { serve } from 'shortlink-sdk/node'
import { createSandbox } from 'shortlink-sdk/testing'
import { build } from 'tsup'
import { expect, test } from 'vitest'
import bundle from '../../tsup.config.ts'

async function readPage(server: { serve: typeof serve }): Promise<string> {
  const { baseUrl, close } = await server.serve(createSandbox())
  const page = await (await fetch(new URL('/', baseUrl))).text()
  await close()
  return page.replaceAll(/nonce="[^"]+"/g, '')
}

test('the built server contains the page that the sources read from disk', async () => {
  // The folder is inside the project, so that the build finds its dependencies.
  const outDir = fileURLToPath(new URL('.tmp/page/', import.meta.url))
  await build({ ...bundle, config: false, entry: ['src/testing/server.ts'], outDir, silent: true })
  const built = await import(`${outDir}server.js`)
  await rm(outDir, { recursive: true })
  expect(await readPage(built)).toBe(await readPage({ serve }))
})
