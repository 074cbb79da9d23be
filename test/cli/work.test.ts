import { Readable } from 'node:stream'
import { expect, test, vi } from 'vitest'
import type { Fault } from '../../src/testing/index.ts'
import { pressCtrlC, run, setUp, shop } from './run.ts'

test('Ctrl+C lets the creation in flight end, which is in the result, and begins no call that is queued', async () => {
  const { sandbox, write, files } = await setUp()
  vi.stubEnv('SHORTLINK_RATE_LIMIT', '1')
  sandbox.fail({ method: 'POST', delay: 200 })
  // Besides the creation, a list is queued for the row without an alias, and a creation.
  const file = await write('links.csv', `url,custom\n${shop('tea')},tea\n${shop('cake')},\n${shop('lamps')},lamps\n`)
  const running = run('import', file, '--reuse')
  await vi.waitFor(() => expect(sandbox.requests).toHaveLength(1), 20_000)
  pressCtrlC()
  const { status, stdout, stderr } = await running
  expect(status).toBe(130)
  expect(stdout.split('\n').slice(1)).toEqual([
    `${shop('tea')},tea,https://sho.rt/tea,tea,true,done,`,
    expect.stringMatching(/^https:\/\/shop\.example\/cake,,,,,not-sent,/),
    expect.stringMatching(/^https:\/\/shop\.example\/lamps,lamps,,lamps,,not-sent,/),
    '',
  ])
  expect(stderr).toContain('\nStopping after the calls in flight. Press Ctrl+C again to stop at once.\n')
  expect(stderr).toContain('1 created, 0 found and not changed, 0 failed, 2 not tried yet\n')
  expect(stderr).toContain(`stopped: 1 of 3 links are done, and ${file}.journal remembers them.`)
  expect(sandbox.requests).toHaveLength(1)
  expect(await files()).toEqual(['links.csv', 'links.csv.journal'])
})

test.each([
  [['import', '-'], 'stopped: 1 of 2 links are done.'],
  [['report'], 'stopped, and nothing was written. The same command starts again.'],
  [['sync', '-', '--apply'], 'stopped: what is done stays done. The same command does the rest.'],
])('without a journal, Ctrl+C in %j says what is done, and of no journal', async (args, message) => {
  const { sandbox, files } = await setUp()
  vi.stubEnv('SHORTLINK_RATE_LIMIT', '1')
  const text = `url,custom\n${shop('tea')},tea\n${shop('cake')},cake\n`
  vi.spyOn(process, 'stdin', 'get').mockReturnValue(Readable.from([Buffer.from(text)]) as never)
  sandbox.fail({ delay: 200 })
  const running = run(...args)
  await vi.waitFor(() => expect(sandbox.requests).toHaveLength(1), 20_000)
  pressCtrlC()
  const { status, stderr } = await running
  vi.restoreAllMocks()
  expect(status).toBe(130)
  expect(stderr).toContain(`shortlink-sdk ${args[0]}: ${message}\n`)
  expect(await files()).toEqual([])
})

test('while a creation in flight takes its time, no other row is begun', async () => {
  const { sandbox, write } = await setUp()
  sandbox.fail({ method: 'POST', delay: 200 })
  const rows = Array.from({ length: 100 }, (_, index) => `${shop(String(index))},p-${index}\n`).join('')
  const running = run('import', await write('links.csv', `url,custom\n${rows}`))
  await vi.waitFor(() => expect(sandbox.requests.length).toBeGreaterThan(0), 20_000)
  pressCtrlC()
  const begun = sandbox.requests.length
  const { stdout } = await running
  expect(sandbox.requests.length).toBeLessThanOrEqual(begun + 10)
  expect(stdout.match(/,true,done,/g)).toHaveLength(sandbox.data.links.length)
})

test('Ctrl+C in shorten says nothing of the URLs that were not begun', async () => {
  const { sandbox } = await setUp()
  sandbox.fail({ method: 'POST', after: 5, times: 20, delay: 300 })
  const running = run('shorten', ...Array.from({ length: 50 }, (_, index) => shop(String(index))))
  await vi.waitFor(() => expect(sandbox.requests.length).toBeGreaterThan(5), 20_000)
  pressCtrlC()
  const { status, stderr } = await running
  expect(status).toBe(130)
  expect(stderr).toMatch(
    /^\nStopping after .*\nshortlink-sdk shorten: stopped: the short addresses above are done\.\n$/,
  )
})

test('a second Ctrl+C ends at once, and says so', async () => {
  const { sandbox, write } = await setUp()
  sandbox.fail({ method: 'POST', delay: 200 })
  const exit = vi.spyOn(process, 'exit').mockImplementation((() => {}) as never)
  const running = run('import', await write('links.csv', `url,custom\n${shop('tea')},tea\n`))
  await vi.waitFor(() => expect(sandbox.requests).toHaveLength(1), 20_000)
  pressCtrlC()
  expect(exit).not.toHaveBeenCalled()
  pressCtrlC()
  expect(exit.mock.calls).toEqual([[130]])
  expect((await running).stderr).toContain('Stopped at once. What was in flight may have been done')
  exit.mockRestore()
})

const moved = { status: 302, headers: { location: 'https://new.example/api/url/add' } }
const refusal = (status: number) => ({ status, body: { error: 1, message: 'No.' } })

test.each<[string, Partial<Fault>, string]>([
  ['a redirect, whose address is named', moved, 'https://new.example/api'],
  ['a page', { status: 200, body: '<html></html>' }, 'the response is not JSON'],
  ['no response', { drop: 'before' }, 'no response'],
  ['a 404', refusal(404), '404 No.'],
  ['a refused key', refusal(401), '401 No.'],
])('an import ends if its first calls get %s', async (_, fault, message) => {
  const { sandbox, write } = await setUp()
  sandbox.fail({ times: 100, ...fault })
  const rows = Array.from({ length: 50 }, (_, index) => `${shop(String(index))},p-${index}\n`).join('')
  const { status, stderr } = await run('import', await write('links.csv', `url,custom\n${rows}`))
  expect(status).toBe(1)
  expect(stderr).toContain(message)
  expect(sandbox.requests.length).toBeLessThanOrEqual(30)
})

test.each<[string, Partial<Fault>]>([
  ['a redirect after a success', { ...moved, after: 20 }],
  ['a page after a success', { status: 200, body: '<html></html>', after: 20 }],
  ['a 404 after a success', { ...refusal(404), after: 20 }],
  ['a failure of the server', refusal(500)],
  ['a refusal', refusal(400)],
  ['a missing permission', refusal(403)],
])('an import goes on after %s', async (_, fault) => {
  const { sandbox, write } = await setUp()
  sandbox.fail({ path: '/url/add', times: 20, ...fault })
  const rows = Array.from({ length: 50 }, (_, index) => `${shop(String(index))},p-${index}\n`).join('')
  const { stderr } = await run('import', await write('links.csv', `url,custom\n${rows}`))
  expect(stderr).toMatch(/^\d+ created, \d+ found and not changed, \d+ failed$/m)
})

test('--header is sent with every request, and may be repeated', async () => {
  const { sandbox } = await setUp()
  const headers = ['Cookie: wall=passed; a=b', 'X-Shop:tea']
  expect((await run('list', 'campaigns', ...headers.flatMap((header) => ['--header', header]))).status).toBe(0)
  expect(sandbox.requests[0]!.headers).toMatchObject({ cookie: 'wall=passed; a=b', 'x-shop': 'tea' })
})

test('with --json a failure is an object with error, wrong usage too', async () => {
  const { write } = await setUp()
  const missing = await run('call', 'GET', '/url/99', '--json')
  expect(JSON.parse(missing.stdout)).toEqual({ error: expect.stringContaining('404'), code: 'not_found' })
  const usage = await run('import', await write('a.csv', 'name\nx\n'), '--json')
  expect(JSON.parse(usage.stdout)).toEqual({ error: expect.stringContaining('expected a column url') })
  // The rows say what failed, so nothing comes after them.
  const rows = await run('import', await write('b.csv', 'url,custom\nnonsense,a\n'), '--json')
  expect(JSON.parse(rows.stdout)).toMatchObject([{ custom: 'a', outcome: 'not-sent', error: expect.any(String) }])
})
