import { test } from 'node:test'
import { run } from '../harness.ts'

test('orval generates a client from openapi.json, and TypeScript accepts it', async () => {
  const document = 'node_modules/shortlink-sdk/dist/openapi.json'
  await run('orval', ['--input', document, '--output', 'build/api.ts'])
  const options = ['--noEmit', '--strict', '--target', 'es2022', '--module', 'esnext', '--moduleResolution', 'bundler']
  await run('tsc', [...options, '--lib', 'es2022,dom', '--ignoreConfig', 'build/api.ts'])
})
