import fs, { symlink, writeFile } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { Readable } from 'node:stream'
import { serve } from 'shortlink-sdk/node'
import { createSandbox } from 'shortlink-sdk/testing'
import { expect, onTestFinished, test, vi } from 'vitest'
import { run, sentTo, setUp, shop } from './run.ts'

test('a repeated import sends nothing, and writes the same result to any file', async () => {
  const { sandbox, write, read, path } = await setUp()
  const file = await write(
    'links.csv',
    `url,custom,Note\n${shop('tea')},tea,a\n${shop('cake')},,b\n${shop('cake')},,c\n`,
  )
  await run('import', file, '--out', path('r.csv'))
  const requests = sandbox.requests.length
  for (const out of ['r.csv', 'r2.csv']) {
    expect(await run('import', file, '--out', path(out))).toEqual({
      status: 0,
      stdout: '',
      stderr: `not sent: Note\n3 links, 3 done before\n3 done before, nothing sent: delete ${file}.journal to import them again\n`,
    })
    expect(await read(out)).toBe(await read('r.csv'))
  }
  expect(sandbox.requests).toHaveLength(requests)
  expect(sandbox.data.links).toHaveLength(3)
})

test('a repeated import sends only added rows, whatever --out is, and another server needs a journal of its own', async () => {
  const { sandbox, write, path } = await setUp()
  const file = await write('links.csv', `url\n${shop('tea')}\n`)
  await run('import', file, '--out', path('r.csv'))
  await write('links.csv', `url\n${shop('cake')}\n${shop('tea')}\n`)
  const { stderr } = await run('import', file, '--out', path('r2.csv'))
  expect(stderr).toBe('2 links, 1 done before\n1 created, 0 already existed, unchanged, 0 failed; 1 done before\n')
  expect(sentTo(sandbox)).toEqual([{ url: shop('tea') }, { url: shop('cake') }])
  const server = await serve(createSandbox())
  vi.stubEnv('SHORTLINK_BASE_URL', server.baseUrl)
  const host = new URL(server.baseUrl).host
  const other = path(`links.${host.replace(':', '-')}.journal`)
  for (const option of ['--dry-run', '--no-aliases']) {
    const elsewhere = await run('import', file, '--out', path('r3.csv'), option)
    expect(elsewhere.status).toBe(2)
    expect(elsewhere.stderr).toMatch(
      /the journal is of http:\S+, and http:\S+ has no link 2\. To create the links on this server: /,
    )
    expect(elsewhere.stderr).toContain(`shortlink import ${file} --journal ${other} --out ${path('r3.csv')}`)
    expect(elsewhere.stderr).toContain('add --same-server: that creates nothing for the 2 rows recorded as done\n')
  }
  const same = await run('import', file, '--out', path('r4.csv'), '--same-server')
  expect(same.stderr).toContain('2 done before, nothing sent')
  const started = await run('import', file, '--out', path('r5.csv'), '--journal', other)
  expect(started.stderr).toBe('2 links\n2 created, 0 already existed, unchanged, 0 failed\n')
  await server.close()
})

test('--journal sets the journal of standard input, and import warns without it', async () => {
  const { sandbox, path, files } = await setUp()
  const input = () => {
    const text = Readable.from([Buffer.from(`url\n${shop('tea')}\n`)])
    vi.spyOn(process, 'stdin', 'get').mockReturnValue(text as never)
  }
  onTestFinished(() => void vi.restoreAllMocks())
  for (const counts of ['1 created, 0 already existed, unchanged, 0 failed', '1 done before, nothing sent: delete']) {
    input()
    const { stderr } = await run('import', '-', '--journal', path('tea.journal'))
    expect(stderr).toContain(counts)
    expect(stderr).not.toContain('No journal')
  }
  expect(sandbox.data.links).toHaveLength(1)
  input()
  expect((await run('import', '-')).stderr).toContain(
    'No journal: after a crash, the same command would create the same links again. --journal FILE prevents that.\n',
  )
  expect(await files()).toEqual(['tea.journal'])
  const file = path('links.csv')
  await writeFile(file, `url\n${shop('tea')}\n`)
  const { status, stderr } = await run('import', file, '--journal', path('r.csv'), '--out', path('r.csv'))
  expect({ status, stderr }).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('is the journal of this import'),
  })
})

test('after a failed row, the same command tries only that row again', async () => {
  const { sandbox, write, files, path } = await setUp()
  const first = await write('links.csv', `url,custom\n${shop('tea')},tea\n${shop('x')},tea\n${shop('lamps')},lamps\n`)
  const failed = await run('import', first)
  expect(failed.status).toBe(1)
  expect(failed.stdout).toContain(`${shop('x')},tea,,tea,,not-sent,"custom: ""tea"" is already the alias of row 2"`)
  expect(await files()).toEqual(['links.csv', 'links.csv.journal'])

  const before = sandbox.requests.length
  await write('links.csv', `url,custom\n${shop('tea')},tea\n${shop('cake')},cake\n${shop('lamps')},lamps\n`)
  const second = await run('import', path('links.csv'), '--json')
  expect(second.status).toBe(0)
  expect(JSON.parse(second.stdout)).toMatchObject([
    { shorturl: 'https://sho.rt/tea', outcome: 'done' },
    { shorturl: 'https://sho.rt/cake', created: true, outcome: 'done' },
    { shorturl: 'https://sho.rt/lamps', outcome: 'done' },
  ])
  expect(second.stderr).toContain('1 created, 0 already existed, unchanged, 0 failed; 2 done before')
  expect(sandbox.requests).toHaveLength(before + 1)
})

test('a concurrent import of the same file is rejected, even through a symlink and with another output', async () => {
  const { sandbox, write, path, files } = await setUp()
  const file = await write('links.csv', `url\n${shop('a')}\n`)
  await symlink(file, path('other.csv'))
  sandbox.fail({ path: '/url/add', delay: 300 })
  const first = run('import', file, '--out', path('r.csv'))
  await vi.waitFor(() => expect(sandbox.requests.length).toBeGreaterThan(0), 20_000)
  const second = await run('import', path('other.csv'), '--out', path('r2.csv'))
  expect(second.status).toBe(1)
  expect(second.stderr).toContain('in use by another run')
  expect((await first).status).toBe(0)
  expect(sandbox.data.links).toHaveLength(1)
  expect(await files()).toEqual(['links.csv', 'links.csv.journal', 'other.csv', 'r.csv'])
})

test('in a read-only folder, import fails and sends nothing, but works with --journal elsewhere', async () => {
  const { sandbox, write, path, files } = await setUp()
  const file = await write('links.csv', `url\n${shop('a')}\n`)
  const { open } = fs
  vi.spyOn(fs, 'open').mockImplementation(async (name, ...rest) => {
    const error = Object.assign(new Error(`EROFS: read-only file system, open '${name}'`), { code: 'EROFS' })
    return String(name).startsWith(`${file}.`) ? Promise.reject(error) : open(name, ...rest)
  })
  syncBuiltinESMExports()
  onTestFinished(() => {
    vi.restoreAllMocks()
    syncBuiltinESMExports()
  })
  const { status, stdout, stderr } = await run('import', file)
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
  expect(stderr).toContain(
    'Nothing is lost: allow writing there and run the same command again, or use --journal with a file elsewhere',
  )
  expect(sandbox.requests).toEqual([])
  expect((await run('import', file, '--journal', path('j.journal'))).status).toBe(0)
  expect(await files()).toEqual(['j.journal', 'links.csv'])
})
