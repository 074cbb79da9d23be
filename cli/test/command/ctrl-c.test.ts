import { Readable } from 'node:stream'
import { expect, test, vi } from 'vitest'
import { pressCtrlC, run, setUp, shop } from './run.ts'

test('Ctrl+C waits for the creation in flight, puts it into the result, and starts no queued call', async () => {
  const { sandbox, write, files } = await setUp()
  vi.stubEnv('SHORTLINK_RATE_LIMIT', '1')
  sandbox.fail({ method: 'POST', delay: 200 })
  // The other rows wait for the rate limit.
  const file = await write('links.csv', `url,custom\n${shop('tea')},tea\n${shop('cake')},\n${shop('lamps')},lamps\n`)
  const running = run('import', file)
  await vi.waitFor(() => expect(sandbox.requests).toHaveLength(1), 20_000)
  pressCtrlC()
  const { status, stdout, stderr } = await running
  expect(status).toBe(130)
  expect(stdout.split('\n').slice(1)).toEqual([
    `${shop('tea')},tea,https://sho.rt/tea,tea,true,done,`,
    expect.stringMatching(/^https:\/\/shop\.example\/cake,,,[a-z0-9]{7},,not-sent,/),
    expect.stringMatching(/^https:\/\/shop\.example\/lamps,lamps,,lamps,,not-sent,/),
    '',
  ])
  expect(stderr).toContain('\nStopping after the calls in flight. Press Ctrl+C again to stop at once.\n')
  expect(stderr).toContain('1 created, 0 already existed, unchanged, 0 failed, 2 not tried yet\n')
  expect(stderr).toContain(
    `stopped: 1 of 3 links are done and recorded in ${file}.journal. Run the same command to continue.`,
  )
  expect(sandbox.requests).toHaveLength(1)
  expect(await files()).toEqual(['links.csv', 'links.csv.journal'])
})

test.each([
  [['import', '-'], 'stopped: 1 of 2 links are done. To continue, import the result file.'],
  [['report'], 'stopped, and nothing was written. Run the same command to start again.'],
  [['sync', '-', '--apply'], 'stopped: nothing was changed. Run the same command to start again.'],
])('without a journal, Ctrl+C in %j prints what is done and does not mention a journal', async (args, message) => {
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
  expect(stderr).toContain(`shortlink ${args[0]}: ${message}\n`)
  expect(await files()).toEqual([])
})

test('Ctrl+C in shorten prints no errors for URLs that were not sent', async () => {
  const { sandbox } = await setUp()
  sandbox.fail({ method: 'POST', after: 5, times: 20, delay: 300 })
  const running = run('shorten', ...Array.from({ length: 50 }, (_, index) => shop(String(index))))
  await vi.waitFor(() => expect(sandbox.requests.length).toBeGreaterThan(5), 20_000)
  pressCtrlC()
  const { status, stderr } = await running
  expect(status).toBe(130)
  expect(stderr).toMatch(
    /^\nStopping after .*\nshortlink shorten: stopped: only the URLs with a short address above are done\.\n$/,
  )
})

test('a second Ctrl+C ends the command at once, with a message', async () => {
  const { sandbox, write } = await setUp()
  sandbox.fail({ method: 'POST', delay: 200 })
  const exit = vi.spyOn(process, 'exit').mockImplementation((() => {}) as never)
  const running = run('import', await write('links.csv', `url,custom\n${shop('tea')},tea\n`))
  await vi.waitFor(() => expect(sandbox.requests).toHaveLength(1), 20_000)
  pressCtrlC()
  expect(exit).not.toHaveBeenCalled()
  pressCtrlC()
  expect(exit.mock.calls).toEqual([[130]])
  expect((await running).stderr).toContain('Stopped at once. Calls in flight may have succeeded.')
  exit.mockRestore()
})
