import { chmod, mkdir, open, rm, stat, symlink } from 'node:fs/promises'
import { expect, test, vi } from 'vitest'
import { run, setUp, shop } from './run.ts'

test.each([
  [
    'the result of another file',
    `url,shorturl,alias,created,outcome,error\n${shop('x')},https://sho.rt/x,x,true,done,\n`,
    'which',
  ],
  [
    'a result with other columns and without links',
    'Link,shorturl,alias,created,outcome,error\nx,,,rejected,No.\n',
    'a file with other columns than',
  ],
  ['a file of links', `url,custom\n${shop('x')},x\n`, 'is not a result of'],
  ['any other file', 'Dear all,\n', 'is not a result of'],
])('--out is rejected if the file is %s, and nothing is sent', async (_, text, message) => {
  const { sandbox, write, read } = await setUp()
  const file = await write('links.csv', `url\n${shop('tea')}\n`)
  const out = await write('r.csv', text)
  const { status, stdout, stderr } = await run('import', file, '--out', out)
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
  expect(stderr).toContain(message)
  expect(stderr).toContain('Nothing was sent. Use another file, or delete this one')
  expect(await read('r.csv')).toBe(text)
  expect(sandbox.requests).toEqual([])
})

test.each(['csv', 'json', 'ndjson', 'tsv'])(
  '--out replaces an earlier .%s result of the same input',
  async (suffix) => {
    const { write, path } = await setUp()
    const file = await write('links.csv', `url,title\n${shop('tea')},a | b\nnonsense,\n`)
    expect((await run('import', file, '--out', path(`r.${suffix}`))).status).toBe(1)
    await write('links.csv', `url,title\n${shop('tea')},a | b\n${shop('cake')},\n`)
    expect((await run('import', file, '--out', path(`r.${suffix}`))).status).toBe(0)
    expect((await run('import', file, '--out', path(`r.${suffix}`))).status).toBe(0)
  },
)

test('--out is rejected if the journal is deleted and the file has the only copy of its addresses', async () => {
  const { sandbox, write, path } = await setUp()
  const file = await write('links.csv', `url\n${shop('tea')}\n`)
  await run('import', file, '--out', path('r.csv'))
  await rm(`${file}.journal`)
  const { status, stderr } = await run('import', file, '--out', path('r.csv'))
  expect(status).toBe(2)
  expect(stderr).toMatch(/r\.csv: has https:\S+, which \S+ and its journal do not have\. Nothing was sent/)
  expect(sandbox.data.links).toHaveLength(1)
})

test.skipIf(process.platform === 'win32')('the result and the journal have the permissions of the input', async () => {
  const { write, path } = await setUp()
  const file = await write('links.csv', `url,password\n${shop('tea')},open sesame\n`)
  await chmod(file, 0o600)
  const empty = await write('r.csv', '')
  await chmod(empty, 0o644)
  for (const out of ['r.csv', 'r2.csv']) expect((await run('import', file, '--out', path(out))).status).toBe(0)
  for (const name of ['links.csv.journal', 'r.csv', 'r2.csv']) {
    expect([name, ((await stat(path(name))).mode & 0o777).toString(8)]).toEqual([name, '600'])
  }
})

test('if two imports have the same --out, the later result goes to another file, and the exit status is 1', async () => {
  const { sandbox, write, read, path } = await setUp()
  const file = await write('tea.csv', `url\n${shop('tea')}\n`)
  sandbox.fail({ path: '/url/add', delay: 300 })
  const later = run('import', file, '--out', path('r.csv'))
  await vi.waitFor(() => expect(sandbox.requests.length).toBeGreaterThan(0), 20_000)
  await write(
    'r.csv',
    `url,shorturl,alias,created,outcome,error\n${shop('cake')},https://sho.rt/cake,cake,true,done,\n`,
  )
  const { status, stderr } = await later
  expect(status).toBe(1)
  expect(stderr).toContain(
    `${path('r.csv')} was written by another run meanwhile: the result is in ${path('r-2.csv')}\n`,
  )
  expect(await read('r.csv')).toContain(shop('cake'))
  expect(await read('r-2.csv')).toContain(`${shop('tea')},https://sho.rt/`)
})

test('the input is never overwritten, whatever name --out gives it', async () => {
  const { write, path, read } = await setUp()
  const text = `url,custom\n${shop('a')},a\n`
  const file = await write('links.csv', text)
  await symlink(file, path('other.csv'))
  await mkdir(path('folder'))
  for (const out of ['links.csv', 'other.csv', 'folder/../links.csv']) {
    const { status, stderr } = await run('import', file, '--out', path('').concat('/', out))
    expect(status).toBe(2)
    expect(stderr).toContain('is the input file. Use another file')
  }
  expect(await read('links.csv')).toBe(text)
})

test('a full disk at the end is an error with advice, and the same command sends nothing again', async () => {
  const { sandbox, write, path, files } = await setUp()
  const file = await write('links.csv', `url\n${shop('a')}\n${shop('b')}\n`)
  const probe = await open(file, 'r')
  const full = Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' })
  const sync = vi.spyOn(Object.getPrototypeOf(probe), 'sync').mockRejectedValue(full)
  await probe.close()
  const { status, stderr } = await run('import', file, '--out', path('r.csv'))
  sync.mockRestore()
  expect(status).toBe(1)
  expect(stderr).toContain(
    'ENOSPC: no space left on device. Nothing is lost: free some disk space and run the same command again, or use --out with a file elsewhere',
  )
  expect(await files()).toEqual(['links.csv', 'links.csv.journal'])
  const before = sandbox.requests.length
  expect((await run('import', file, '--out', path('r.csv'))).status).toBe(0)
  expect(sandbox.requests).toHaveLength(before)
})
