import { rm } from 'node:fs/promises'
import { expect, test, vi } from 'vitest'
import { pressCtrlC, run, setUp, shop } from './run.ts'

const rows = Array.from({ length: 30 }, (_, index) => `${shop(String(index))},p-${index}`)
const file = `url,custom\n${rows.join('\n')}\n`

type World = Awaited<ReturnType<typeof setUp>>

test.each<[string, string[], number, ((world: World) => unknown)?]>([
  ['a plan with too many deletions', ['sync', 'FILE', '--prune', 'old-', '--max-deletes', '1'], 2],
  ['too many deletions with --apply', ['sync', 'FILE', '--prune', 'old-', '--max-deletes', '1', '--apply'], 2],
  ['a plan', ['sync', 'FILE'], 0],
  ['a plan with --check', ['sync', 'FILE', '--check'], 3],
  ['a sync with an invalid row', ['sync', 'BAD'], 2],
  ['an import', ['import', 'FILE'], 0],
  ['an import with a failed row', ['import', 'BAD'], 1],
  ['an import of a missing file', ['import', 'none.csv'], 2],
  ['a dry run', ['import', 'FILE', '--dry-run'], 0],
  ['a dry run with an invalid row', ['import', 'BAD', '--dry-run'], 1],
  [
    'an import to an unreachable server',
    ['import', 'FILE'],
    1,
    ({ sandbox }) => sandbox.fail({ drop: 'before', times: 500 }),
  ],
  [
    'an import to a server that becomes unreachable',
    ['import', 'FILE'],
    1,
    ({ sandbox }) => sandbox.fail({ drop: 'before', after: 5, times: 500 }),
  ],
  ['a report', ['report'], 0],
  ['a report from an unreachable server', ['report'], 1, ({ sandbox }) => sandbox.fail({ drop: 'before', times: 500 })],
  ['a list', ['list', 'links'], 0],
  ['a list with a wrong key', ['list', 'links'], 1, () => vi.stubEnv('SHORTLINK_API_KEY', 'wrong')],
  ['shorten with a failed URL', ['shorten', shop('a'), 'nonsense'], 1],
  [
    'shorten with an unreachable server',
    ['shorten', shop('a')],
    1,
    ({ sandbox }) => sandbox.fail({ drop: 'before', times: 500 }),
  ],
  ['an unknown option', ['list', 'links', '--what'], 2],
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

test('--json of a dry run prints the planned rows', async () => {
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
    'Stopped: 5 of 30 links are done and recorded in FILE.journal. Run the same command to continue.',
  ],
  [['report'], 'Stopped, and nothing was written. Run the same command to start again.'],
  [['list', 'links'], 'Stopped: the list is incomplete.'],
])('%j prints how to continue if the server becomes unreachable', async (args, message) => {
  const links = Array.from({ length: 300 }, (_, index) => ({ alias: `old-${index}` }))
  const { sandbox, write } = await setUp({ data: { links } })
  const path = await write('links.csv', file)
  sandbox.fail({ drop: 'before', after: args[0] === 'import' ? 5 : 1, times: 500 })
  const { status, stderr } = await run(...args.map((arg) => (arg === 'FILE' ? path : arg)))
  expect(status).toBe(1)
  expect(stderr).toContain(`. ${message.replace('FILE', path)}\n`)
})

test('if the file of --out is removed during an import, the result goes to another file, and the exit status is 1', async () => {
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
