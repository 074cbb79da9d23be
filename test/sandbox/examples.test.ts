import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import '../../examples/testing-first.test.ts'
import '../../examples/testing-vitest.test.ts'

const example = (name: string) => fileURLToPath(new URL(`../../examples/${name}`, import.meta.url))
const node = (...args: string[]) => promisify(execFile)(process.execPath, ['--import', 'tsx', ...args])

test('examples/testing-node-test.ts passes', { timeout: 120_000 }, async () => {
  const { stdout } = await node('--test', example('testing-node-test.ts'))
  expect(stdout).toMatch(/pass 2\n/)
})

test('examples/testing-lost-post.ts creates one campaign although the answer is lost', {
  timeout: 120_000,
}, async () => {
  const { stdout } = await node(example('testing-lost-post.ts'))
  expect(stdout.split('\n')).toEqual([
    'POST /campaign/add   not done no answer',
    'GET /campaigns       done 200',
    'POST /campaign/add   done no answer',
    'GET /campaigns       done 200',
    'There is one campaign “Spring sale”, with id 1.',
    '',
  ])
})
