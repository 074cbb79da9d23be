import { execFileSync } from 'node:child_process'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { setUpProcesses } from './processes.ts'
import { buildCommand } from './program.ts'

const cli = await buildCommand()
const statuses = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const
const signals = Object.keys(statuses) as (keyof typeof statuses)[]
const url = (name: string | number) => `https://shop.example/${name}`
const options = { skip: process.platform === 'win32', timeout: 60_000 }

/** Sends a signal, and expects the process to end within a few seconds. */
async function end(
  running: { child: { kill(signal: NodeJS.Signals): void }; ended: Promise<object> },
  signal: keyof typeof statuses,
) {
  const startedAt = performance.now()
  running.child.kill(signal)
  const result = (await running.ended) as {
    status: number | null
    signal: string | null
    stdout: string
    stderr: string
  }
  expect(performance.now() - startedAt).toBeLessThan(10_000)
  // A process that waits for a named pipe is ended by the signal itself, which a shell reports as this status.
  return { ...result, status: result.signal === signal ? statuses[signal] : result.status }
}

const stalled: [string, string[], string][] = [
  ['import, before the first byte', ['import', '-'], ''],
  ['import, in the middle of a file', ['import', '-', '--json'], 'url\nhttps://shop.example/1\nhttps://sh'],
  ['import, from a pipe without a writer', ['import', 'PIPE'], ''],
  ['sync', ['sync', '-', '--apply'], 'alias,url\n'],
  ['report, with --previous from a pipe without a writer', ['report', '--previous', 'PIPE'], ''],
]
for (const signal of signals) {
  test.each(stalled)(`${signal} ends a command whose input stalls: %s`, options, async (_, args, text) => {
    const { sandbox, folder, start } = await setUpProcesses(cli)
    execFileSync('mkfifo', [join(folder, 'pipe.csv')])
    const running = start(...args.map((arg) => (arg === 'PIPE' ? join(folder, 'pipe.csv') : arg)))
    running.child.stdin!.write(text)
    await vi.waitFor(() => expect(running.output.stderr).toContain('waiting for input'), 20_000)
    const { status, stdout, stderr } = await end(running, signal)
    expect({ status, stderr }).toEqual({
      status: statuses[signal],
      stderr: expect.stringContaining(`shortlink ${args[0]}: stopped\n`),
    })
    expect(stdout).toBe(args.includes('--json') ? '{\n  "error": "stopped"\n}\n' : '')
    expect(sandbox.requests).toEqual([])
  })

  test(`${signal} ends shorten while its input stalls, after it printed the addresses so far`, options, async () => {
    const { sandbox, start } = await setUpProcesses(cli)
    const running = start('shorten')
    running.child.stdin!.write(`${url(1)}\n${url(2)}\n${url(3)}`)
    await vi.waitFor(() => expect(running.output.stdout.split('\n')).toHaveLength(3), 20_000)
    await vi.waitFor(() => expect(running.output.stderr).toBe('2 URLs, waiting for input\n'), 20_000)
    const { status, stdout, stderr } = await end(running, signal)
    expect(stdout.match(/^https:\/\/sho\.rt\/\w+$/gm)).toHaveLength(2)
    expect({ status, stderr }).toEqual({
      status: statuses[signal],
      stderr: expect.stringContaining('only the URLs with a short address above are done'),
    })
    expect(sandbox.data.links).toHaveLength(2)
  })

  test(`${signal} ends shorten --json while its input stalls, with one document`, options, async () => {
    const { sandbox, start } = await setUpProcesses(cli)
    const running = start('shorten', '--json')
    running.child.stdin!.write(`${url(1)}\n`)
    await vi.waitFor(() => expect(sandbox.data.links).toHaveLength(1), 20_000)
    const { status, stdout } = await end(running, signal)
    expect(status).toBe(statuses[signal])
    expect(JSON.parse(stdout)).toMatchObject([{ url: url(1), created: true }])
  })

  test.each(['a wait for the rate limit', 'a request'])(
    `${signal} during %s ends an import, which still writes its result`,
    options,
    async (when) => {
      const isWait = when !== 'a request'
      const { sandbox, folder, start } = await setUpProcesses(cli, { rateLimit: isWait && { requests: 2 } })
      const file = join(folder, 'links.csv')
      await writeFile(file, `url\n${Array.from({ length: 30 }, (_, index) => url(index)).join('\n')}\n`)
      if (!isWait) sandbox.fail({ path: '/url/add', after: 3, times: 30, delay: 1500 })
      const running = start('import', file, '--out', join(folder, 'r.csv'))
      await vi.waitFor(() => expect(sandbox.requests.length).toBeGreaterThanOrEqual(isWait ? 2 : 5), 20_000)
      await vi.waitFor(() => expect(sandbox.data.links.length).toBeGreaterThanOrEqual(2), 20_000)
      const { status, stderr } = await end(running, signal)
      const made = sandbox.data.links.length
      expect({ status, stderr }).toEqual({
        status: statuses[signal],
        stderr: expect.stringContaining(`stopped: ${made} of 30 links are done and recorded in ${file}.journal.`),
      })
      const result = await readFile(join(folder, 'r.csv'), 'utf8')
      expect(result.match(/,true,done,/g)).toHaveLength(made)
      expect(result.match(/,not-sent,not tried yet/g)).toHaveLength(30 - made)
      expect((await readdir(folder)).sort()).toEqual(['links.csv', 'links.csv.journal', 'r.csv'])
    },
  )

  test(`${signal} ends a list whose output is not read`, options, async () => {
    const many = Array.from({ length: 5000 }, (_, index) => ({ alias: `p-${index}`, title: 'x'.repeat(500) }))
    const { sandbox, start } = await setUpProcesses(cli, { data: { links: many } })
    const running = start('list', 'links')
    running.child.stdout!.pause()
    await vi.waitFor(() => expect(sandbox.requests.length).toBeGreaterThan(2), 20_000)
    await new Promise((resolve) => setTimeout(resolve, 1000))
    const startedAt = performance.now()
    running.child.kill(signal)
    await vi.waitFor(
      () => expect([statuses[signal], signal]).toContain(running.child.exitCode ?? running.child.signalCode),
      10_000,
    )
    expect(performance.now() - startedAt).toBeLessThan(10_000)
    running.child.stdout!.resume()
    await running.ended
  })
}

test('an import still writes its result if a closing terminal sends SIGHUP twice', options, async () => {
  const { sandbox, folder, start } = await setUpProcesses(cli)
  const file = join(folder, 'links.csv')
  await writeFile(file, `url\n${url(1)}\n`)
  sandbox.fail({ path: '/url/add', delay: 1500 })
  const running = start('import', file, '--out', join(folder, 'r.csv'))
  await vi.waitFor(() => expect(sandbox.requests).toHaveLength(1), 20_000)
  running.child.kill('SIGHUP')
  await vi.waitFor(() => expect(running.output.stderr).toContain('Stopping after'), 20_000)
  expect((await end(running, 'SIGHUP')).status).toBe(129)
  expect(await readFile(join(folder, 'r.csv'), 'utf8')).toContain(',true,done,')
})

test(
  'git stash -u during an import ends it with 1, and after git stash pop the same command completes it without duplicates',
  options,
  async () => {
    const { sandbox, folder, start, watch } = await setUpProcesses(cli)
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@shop.example', ...args], {
        cwd: folder,
        stdio: 'pipe',
      })
    git('init')
    await writeFile(join(folder, 'readme'), 'x')
    git('add', 'readme')
    git('commit', '-m', 'x')
    const file = join(folder, 'links.csv')
    await writeFile(file, `url\n${Array.from({ length: 100 }, (_, index) => url(index)).join('\n')}\n`)
    watch(() => {
      if (sandbox.data.links.length < 30) return
      watch(() => {})
      git('stash', '-u')
    })
    const { status, stdout, stderr } = await start('import', file).ended
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: expect.stringMatching(/journal \S+: was removed or replaced while this run used it/),
    })
    const made = sandbox.data.links.length
    expect(made).toBeLessThan(60)
    expect(stdout.match(/,true,done,/g)).toHaveLength(made)
    expect((await readdir(folder)).sort()).toEqual(['.git', 'readme'])
    git('stash', 'pop')
    expect((await start('import', file).ended).status).toBe(0)
    expect(new Set(sandbox.data.links.map(({ longurl }) => longurl)).size).toBe(100)
    expect(sandbox.data.links.length).toBe(100)
  },
)
