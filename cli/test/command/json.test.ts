import { rm } from 'node:fs/promises'
import { expect, test, vi } from 'vitest'
import { pressCtrlC, run, setUp, shop } from './run.ts'

const rows = Array.from({ length: 30 }, (_, index) => `${shop(String(index))},p-${index}`)
const file = `url,custom\n${rows.join('\n')}\n`

type World = Awaited<ReturnType<typeof setUp>>

/** Ends of commands, each with what makes them so. */
test.each<[string, string[], number, ((world: World) => unknown)?]>([
  ['a plan that deletes too much', ['sync', 'FILE', '--prune', 'old-', '--max-deletes', '1'], 2],
  ['the same, to be carried out', ['sync', 'FILE', '--prune', 'old-', '--max-deletes', '1', '--apply'], 2],
  ['a plan', ['sync', 'FILE'], 0],
  ['a plan that is checked', ['sync', 'FILE', '--check'], 3],
  ['a row that is wrong', ['sync', 'BAD'], 2],
  ['an import', ['import', 'FILE'], 0],
  ['an import with a failed row', ['import', 'BAD'], 1],
  ['an import of a file that is none', ['import', 'none.csv'], 2],
  ['a dry run', ['import', 'FILE', '--dry-run'], 0],
  ['a dry run with a row that is wrong', ['import', 'BAD', '--dry-run'], 1],
  [
    'an import of an absent server',
    ['import', 'FILE'],
    1,
    ({ sandbox }) => sandbox.fail({ drop: 'before', times: 500 }),
  ],
  [
    'an import that an absent server cuts off',
    ['import', 'FILE'],
    1,
    ({ sandbox }) => sandbox.fail({ drop: 'before', after: 5, times: 500 }),
  ],
  ['a report', ['report'], 0],
  ['a report of an absent server', ['report'], 1, ({ sandbox }) => sandbox.fail({ drop: 'before', times: 500 })],
  ['a list', ['list', 'links'], 0],
  ['a list with a wrong key', ['list', 'links'], 1, () => vi.stubEnv('SHORTLINK_API_KEY', 'wrong')],
  ['short addresses', ['shorten', shop('a'), 'nonsense'], 1],
  [
    'short addresses of an absent server',
    ['shorten', shop('a')],
    1,
    ({ sandbox }) => sandbox.fail({ drop: 'before', times: 500 }),
  ],
  ['a wrong option', ['list', 'links', '--what'], 2],
])('--json prints one document for %s', async (_, args, status, prepare = () => {}) => {
  const links = Array.from({ length: 5 }, (_, index) => ({ alias: `old-${index}`, url: shop(`old-${index}`) }))
  const world = await setUp({ data: { links } })
  await world.write('links.csv', file)
  await world.write('bad.csv', `url,custom\n${shop('tea')},tea\nnonsense,x\n`)
  prepare(world)
  const names: Record<string, string> = { FILE: world.path('links.csv'), BAD: world.path('bad.csv') }
  const ended = await run(...args.map((arg) => names[arg] ?? arg), '--json')
  expect(ended).toMatchObject({ status })
  expect(() => JSON.parse(ended.stdout)).not.toThrow()
})

test.each([[['report']], [['list', 'links']], [['import', 'FILE']], [['sync', 'FILE', '--apply']]])(
  '--json prints one document if Ctrl+C ends %j in its first request',
  async (args) => {
    const { sandbox, write } = await setUp()
    const path = await write('links.csv', file)
    sandbox.fail({ delay: 300 })
    const running = run(...args.map((arg) => (arg === 'FILE' ? path : arg)), '--json')
    await vi.waitFor(() => expect(sandbox.requests.length).toBeGreaterThan(0), 20_000)
    pressCtrlC()
    const { status, stdout } = await running
    expect(status).toBe(130)
    expect(() => JSON.parse(stdout)).not.toThrow()
  },
)

test('--json of a dry run has the rows as they are planned', async () => {
  const { write } = await setUp()
  const { stdout } = await run(
    'import',
    await write('a.csv', `url,custom\n${shop('tea')},tea\nnonsense,x\n`),
    '--dry-run',
    '--json',
  )
  expect(JSON.parse(stdout)).toMatchObject([
    { url: shop('tea'), alias: 'tea', shorturl: null, outcome: 'planned' },
    { url: 'nonsense', outcome: 'not-sent', error: expect.stringContaining('expected an absolute URL') },
  ])
})

test.each<[string[], string]>([
  [
    ['import', 'FILE'],
    'Stopped: 5 of 30 links are done, and FILE.journal remembers them. The same command continues there.',
  ],
  [['report'], 'Stopped, and nothing was written. The same command starts again.'],
  [['list', 'links'], 'Stopped: this is not the whole list.'],
])('%j says how to go on if the server goes away', async (args, message) => {
  const links = Array.from({ length: 300 }, (_, index) => ({ alias: `old-${index}` }))
  const { sandbox, write } = await setUp({ data: { links } })
  const path = await write('links.csv', file)
  sandbox.fail({ drop: 'before', after: args[0] === 'import' ? 5 : 1, times: 500 })
  const { status, stderr } = await run(...args.map((arg) => (arg === 'FILE' ? path : arg)))
  expect(status).toBe(1)
  expect(stderr).toContain(`. ${message.replace('FILE', path)}\n`)
})

test('--out over a file that was removed meanwhile says so, writes beside it, and ends with 1', async () => {
  const { sandbox, write, read, path } = await setUp()
  const input = await write('tea.csv', `url\n${shop('tea')}\n`)
  await run('import', input, '--out', path('r.csv'))
  await write('tea.csv', `url\n${shop('tea')}\n${shop('cake')}\n`)
  sandbox.fail({ path: '/url/add', delay: 300 })
  const running = run('import', input, '--out', path('r.csv'))
  await vi.waitFor(() => expect(sandbox.requests.length).toBeGreaterThan(1), 20_000)
  await rm(path('r.csv'))
  const { status, stderr } = await running
  expect(status).toBe(1)
  expect(stderr).toContain(`${path('r.csv')} was removed meanwhile: the result is in ${path('r-2.csv')}\n`)
  expect(await read('r-2.csv')).toContain(shop('cake'))
})
