import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { page } from '../../../test/helpers/responses.ts'
import { serve } from '../../../test/helpers/server.ts'
import { run, setUp } from './run.ts'

/** Has colors, a second line, text that runs backwards, and 8-bit escapes. */
const hostile = 'no\r\nERROR forged \u001b[31mred \u202etxt.exe\u2028end \u009b2J\u007f \u{e0041}ß🔑'
const controls = /[\0-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2028\u2029\u{e0000}-\u{e007f}]|^ERROR/mu

const { isTTY } = process.stdout
beforeEach(() => void Object.assign(process.stdout, { isTTY: true }))
afterEach(() => void Object.assign(process.stdout, { isTTY }))

const campaign = {
  id: 1,
  name: hostile,
  public: true,
  rotator: false,
  list: 'https://sho.rt/u/a/b-1',
  [hostile]: hostile,
}

it.each([
  ['list', 'campaigns'],
  ['list', 'campaigns', '--format', 'csv'],
  ['list', 'campaigns', '--format', 'json'],
  ['list', 'campaigns', '--format', 'ndjson'],
])('%s %s %s %s writes no control characters to a terminal', async (...args) => {
  await setUp()
  const { origin } = await serve(page('campaigns', [campaign]))
  vi.stubEnv('SHORTLINK_BASE_URL', origin)
  const { status, stdout } = await run(...args)
  expect(status).toBe(0)
  expect(stdout).toMatch(/forged[\s\S]*ß🔑/)
  expect(stdout).not.toMatch(controls)
})

it('JSON escapes control characters without losing them', async () => {
  await setUp()
  const { origin } = await serve(page('campaigns', [campaign]))
  vi.stubEnv('SHORTLINK_BASE_URL', origin)
  for (const args of [
    ['list', 'campaigns', '--json'],
    ['list', 'campaigns', '--format', 'ndjson'],
  ]) {
    const read = JSON.parse((await run(...args)).stdout)
    expect([read].flat()).toMatchObject([{ name: hostile, [hostile]: hostile }])
  }
})

it('CSV in a pipe keeps control characters', async () => {
  Object.assign(process.stdout, { isTTY: false })
  await setUp()
  const { origin } = await serve(page('campaigns', [campaign]))
  vi.stubEnv('SHORTLINK_BASE_URL', origin)
  expect((await run('list', 'campaigns')).stdout).toContain(hostile)
})

it('the column names of an imported file cannot control the terminal', async () => {
  const { write } = await setUp()
  const file = await write('a.csv', 'url,\u001b[31mcolumn\u202e\u009b\nhttps://shop.example/,1\n')
  const { stderr } = await run('import', file, '--dry-run')
  expect(stderr).toContain('column')
  expect(stderr).not.toMatch(controls)
})

it.each([
  ['a.json', '[\u202e', "expected JSON: Unexpected token '\ufffd'"],
  ['a.csv', 'url\n"\u009b31m\u202ea"b\n', 'has text after its closing quote'],
])('an error that quotes %s cannot control the terminal', async (name, text, problem) => {
  const { write } = await setUp()
  const { status, stderr } = await run('import', await write(name, text), '--dry-run')
  expect(status).toBe(2)
  expect(stderr).toContain(problem)
  expect(stderr).not.toMatch(controls)
})
