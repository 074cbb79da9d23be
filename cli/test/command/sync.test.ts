import { expect, it, vi } from 'vitest'
import { pressCtrlC, run, setUp, shop } from './run.ts'

/** Sets up a sandbox whose links differ from a file, and that file. */
async function setUpDifferences() {
  const links = [
    { alias: 'tea', url: shop('tea') },
    { alias: 'cake', url: shop('old') },
    { alias: 'x-old', url: shop('x'), clicks: 57 },
  ]
  const server = await setUp({ data: { links } })
  const file = await server.write(
    'links.csv',
    `alias,url\ntea,${shop('tea')}\ncake,${shop('cake')}\nlamps,${shop('lamps')}\n`,
  )
  return { ...server, file }
}

it('prints a plan without changing anything, applies it, and then finds nothing to do', async () => {
  const { sandbox, file } = await setUpDifferences()
  const plan = await run('sync', file, '--prune', 'x-', '--format', 'table')
  expect(plan.status).toBe(0)
  expect(plan.stdout.split('\n').map((line) => line.split(/ {2,}/)[0])).toEqual([
    'ACTION',
    'update',
    'create',
    'delete',
    '',
  ])
  expect(plan.stderr).toBe(`read as: alias → custom
1 to create, 1 to update, 1 to keep, 1 to delete
57 clicks of the deleted links would be gone.
An update may clear values that no response shows: password, pixels, type, languagetarget. If the links have passwords, add a column password.
Nothing was changed. To make the changes, add --apply --may-clear.
`)
  expect(sandbox.requests).toHaveLength(1)

  const applied = await run('sync', file, '--prune', 'x-', '--apply', '--may-clear')
  expect(applied.status).toBe(0)
  expect(applied.stderr).toContain('57 clicks of the deleted links are gone.\n1 created, 1 updated, 1 deleted\n')
  expect(sandbox.data.links.map(({ alias, longurl }) => [alias, longurl])).toEqual([
    ['tea', shop('tea')],
    ['cake', shop('cake')],
    ['lamps', shop('lamps')],
  ])
  expect((await run('sync', file, '--prune', 'x-', '--apply', '--may-clear')).stderr).toContain('\nNothing to do.\n')
})

it('exits with 3 for --check if there are differences, and changes nothing', async () => {
  const { sandbox, file } = await setUpDifferences()
  const drift = await run('sync', file, '--check')
  expect(drift.status).toBe(3)
  expect(drift.stderr).toContain('2 changes needed. To make them, add --apply --may-clear.')
  expect(sandbox.requests.every(({ method }) => method === 'GET')).toBe(true)
  await run('sync', file, '--apply', '--may-clear')
  expect(await run('sync', file, '--check', '--json')).toMatchObject({ status: 0, stdout: '[]\n' })
})

it('does not print links without changes, and names parameters that are not compared', async () => {
  const { write } = await setUp({ data: { links: [{ alias: 'tea', url: shop('tea') }] } })
  const file = await write('links.csv', `custom,url,password\ntea,${shop('tea')},open sesame\n`)
  const short = await run('sync', file, '--json')
  expect(JSON.parse(short.stdout)).toEqual([])
  expect(short.stderr).toContain('Not in the list of links, so not compared: password.\n')
})

it('finds no difference with --accept-stored in a title that the server returns with HTML entities', async () => {
  const { write } = await setUp({
    data: { links: [{ alias: 'tea', url: shop('tea'), title: 'Tea &amp; cake &#039;n&#039; more' }] },
  })
  const file = await write('links.csv', `alias,url,title\ntea,${shop('tea')},Tea & cake 'n' more\n`)
  expect((await run('sync', file, '--check')).status).toBe(3)
  expect((await run('sync', file, '--check', '--accept-stored')).stderr).toContain(
    '1 to keep, 0 to delete. 1 kept as the server stores them\n',
  )
})

it('looks up campaigns by their names', async () => {
  const { sandbox, write } = await setUp({ data: { links: [], campaigns: [{ id: 4, name: 'Spring', links: [] }] } })
  const file = await write('links.csv', `custom,url,campaign\ntea,${shop('tea')},Spring\n`)
  expect((await run('sync', file, '--apply')).status).toBe(0)
  expect(sandbox.requests.find(({ method }) => method === 'POST')?.body).toMatchObject({ campaign: 4 })
  expect((await run('sync', file)).stderr).toContain('Nothing to do.')
})

it('continues after a failed change, but deletes nothing, and exits with 1', async () => {
  const { sandbox, file } = await setUpDifferences()
  sandbox.fail({ method: 'PUT', status: 403, body: { error: 1, message: 'No.' } })
  const { status, stdout, stderr } = await run('sync', file, '--prune', 'x-', '--apply', '--may-clear', '--json')
  expect(status).toBe(1)
  expect(JSON.parse(stdout)).toMatchObject([
    { action: 'create', outcome: 'done' },
    { action: 'update', outcome: 'rejected', error: expect.stringContaining('No.') },
    { action: 'delete', outcome: 'planned', clicks: 57 },
  ])
  expect(stderr).toContain(
    '1 change failed, see the column error. Nothing was deleted. To try again, run the same command.',
  )
})

it.each([
  [
    'an alias twice',
    `alias,url\ntea,${shop('a')}\ntea,${shop('b')}\n`,
    'row 3: custom: "tea" is already the alias of row 2',
  ],
  ['no alias column', `url\n${shop('a')}\n`, 'expected a column custom'],
  ['a file without rows and --prune', 'alias,url\n', 'has no rows, so --prune would delete every link'],
])('rejects %s, and sends nothing', async (_, text, message) => {
  const { sandbox, write } = await setUp()
  const { status, stderr } = await run('sync', await write('links.csv', text), '--apply', '--prune', 'x-')
  expect(status).toBe(2)
  expect(stderr).toContain('links.csv')
  expect(stderr).toContain(message)
  expect(sandbox.requests).toEqual([])
})

it.each([
  [['--check', '--apply'], '--check changes nothing: leave out --apply'],
  [['--max-deletes', '3'], '--max-deletes requires --prune'],
  [['--prune', ' '], '--prune needs the prefix of the aliases'],
])('rejects %j', async (args, message) => {
  const { write } = await setUp()
  const { status, stderr } = await run('sync', await write('links.csv', `alias,url\ntea,${shop('a')}\n`), ...args)
  expect(status).toBe(2)
  expect(stderr).toContain(message)
})

it('--map sets the parameters of columns', async () => {
  const { write } = await setUp({ data: { links: [{ alias: 'tea', url: shop('tea') }] } })
  const file = await write('links.csv', `Kurz,Ziel\ntea,${shop('cake')}\n`)
  expect((await run('sync', file)).stderr).toContain('--map')
  const { status, stdout } = await run('sync', file, '--map', 'Kurz=custom', '--map', 'Ziel=url')
  expect(status).toBe(0)
  expect(stdout).toMatch(/^action,alias,domain,was,url,changes,clicks,outcome,error\n/)
  expect(stdout).toContain(`update,tea,sho.rt,${shop('tea')},${shop('cake')},url,,planned`)
})

it('an empty cell and NULL clear a title, and a missing column changes nothing', async () => {
  const links = ['tea', 'cake'].map((alias) => ({ alias, url: shop(alias), title: 'Old', description: 'Kept' }))
  const { sandbox, write } = await setUp({ data: { links } })
  const file = await write('links.csv', `alias,url,title\ntea,${shop('tea')},\ncake,${shop('cake')},NULL\n`)
  const { stderr } = await run('sync', file, '--apply', '--may-clear')
  expect(stderr).toContain('0 created, 2 updated, 0 deleted\n')
  expect(sandbox.data.links.map(({ title, description }) => [title, description])).toEqual([
    ['', 'Kept'],
    ['', 'Kept'],
  ])
  expect((await run('sync', file, '--check')).status).toBe(0)
})

it.each([[], ['--check'], ['--apply']])(
  'a plan with more deletions than --max-deletes is rejected with %j',
  async (...option) => {
    const links = Array.from({ length: 12 }, (_, index) => ({ alias: `sale-${index}`, url: shop(`${index}`) }))
    const { sandbox, write } = await setUp({ data: { links } })
    const file = await write('links.csv', `alias,url\nsale-0,${shop('0')}\n`)
    const { status, stderr } = await run('sync', file, '--prune', 'sale-', ...option)
    expect(status).toBe(2)
    expect(stderr).toContain('the plan deletes 11 links (sale-11, sale-10, sale-9, …), and at most 10 may be deleted.')
    expect(stderr).not.toContain('add --apply.')
    expect(sandbox.data.links).toHaveLength(12)
    expect((await run('sync', file, '--prune', 'sale-', '--max-deletes', '11', ...option)).status).not.toBe(2)
  },
)

it('names all invalid rows of its file, and sends nothing', async () => {
  const { sandbox, write } = await setUp()
  const file = await write('links.csv', `alias,url\ntea,${shop('a')}\n,${shop('b')}\ncake,\n`)
  const { status, stderr } = await run('sync', file, '--apply')
  expect(status).toBe(2)
  expect(stderr).toContain(`${file}, row 3: custom: is missing, expected an alias\n`)
  expect(stderr).toContain(`${file}, row 4: url: is missing`)
  expect(sandbox.requests).toEqual([])
})

it('accepts the result of an import: reads the alias from the column alias or from shorturl', async () => {
  const { sandbox, write, path, read } = await setUp()
  const file = await write('links.csv', `url,title\n${shop('tea')},Tea\n${shop('cake')},Cake\n`)
  expect((await run('import', file, '--out', path('r.csv'))).status).toBe(0)
  const result = await read('r.csv')
  const made = [result, result.replaceAll(/,([a-z0-9]+),true,done/gi, ',,true,done')]
  for (const [index, text] of made.entries()) {
    const changed = await write(`changed-${index}.csv`, text.replace(',Tea,', `,Tea ${index},`))
    const { stderr } = await run('sync', changed, '--apply', '--may-clear')
    expect(stderr).toContain('0 created, 1 updated, 0 deleted\n')
  }
  expect(sandbox.data.links.map(({ title }) => title).sort()).toEqual(['Cake', 'Tea 1'])
})

it('reports after Ctrl+C what was done and what was not, in the counts and the file', async () => {
  const { sandbox, write, path, read } = await setUp()
  const rows = Array.from({ length: 40 }, (_, index) => `p-${index},${shop(`${index}`)}\n`)
  const file = await write('links.csv', `alias,url\n${rows.join('')}`)
  sandbox.fail({ method: 'POST', after: 10, times: 30, delay: 300 })
  const running = run('sync', file, '--apply', '--may-clear', '--out', path('r.csv'))
  await vi.waitFor(() => expect(sandbox.requests.length).toBeGreaterThan(11), 20_000)
  pressCtrlC()
  const { status, stderr } = await running
  expect(status).toBe(130)
  const made = sandbox.data.links.length
  expect(stderr).toContain(`${made} created, 0 updated, 0 deleted, ${40 - made} not tried yet\n`)
  expect(stderr).toContain('stopped: finished changes are kept. To continue, run the same command.')
  const result = await read('r.csv')
  expect(result.match(/^create,.*,done,$/gm)).toHaveLength(made)
  expect(result.match(/^create,.*,planned,$/gm)).toHaveLength(40 - made)
})

it('rejects --apply without --may-clear before anything is written, unless each updated row has a password', async () => {
  const { sandbox, file, write } = await setUpDifferences()
  const { status, stdout, stderr } = await run('sync', file, '--apply')
  expect(status).toBe(2)
  expect(stdout).toBe('')
  expect(stderr).toContain(
    '--may-clear: the plan updates 1 link (cake) whose row has no password, and an update may clear values that no response shows: password, pixels, type, languagetarget. If the links have passwords, add a column password. If not, use --may-clear. Nothing was changed',
  )
  expect(sandbox.requests.map(({ method }) => method)).toEqual(['GET'])
  const rows = (password: string) => `alias,url,password\ncake,${shop('cake')},${password}\nlamps,${shop('lamps')},\n`
  expect((await run('sync', await write('empty.csv', rows('')), '--apply')).status).toBe(2)
  expect(sandbox.data.links.every(({ password }) => password === '')).toBe(true)
  expect((await run('sync', await write('said.csv', rows('open sesame')), '--apply')).status).toBe(0)
  expect(sandbox.data.links.map(({ alias, password }) => `${alias} ${password}`)).toEqual([
    'tea ',
    'cake open sesame',
    'x-old ',
    'lamps ',
  ])
})

it('names both options that a plan needs', async () => {
  const { file } = await setUpDifferences()
  const { status, stderr } = await run('sync', file, '--apply', '--prune', 'x-', '--max-deletes', '0')
  expect(status).toBe(2)
  expect(stderr).toContain(
    '--max-deletes: the plan deletes 1 link (x-old), and at most 0 may be deleted. --may-clear: the plan updates 1 link (cake) whose',
  )
  expect(stderr).toContain('If not, use --may-clear. Nothing was changed\n')
})

it('names parameters that the server stores in another form, and keeps them with --accept-stored', async () => {
  const links = [{ alias: 'tea', longurl: shop('tea'), title: 'Tea' }]
  const { write } = await setUp({ dialect: ['url-lower-case', 'title-cut'], data: { links } })
  const file = await write('links.csv', `alias,url,title\ntea,${shop('Tea')},<b>Tea</b>\n`)
  const differ = 'The server stores these values in another form than the file: tea (url, title).'
  for (let turn = 0; turn < 2; turn++) {
    expect((await run('sync', file, '--check')).status).toBe(3)
    const { status, stdout, stderr } = await run('sync', file, '--apply', '--may-clear')
    expect(status).toBe(0)
    expect(stderr).toContain(`${differ} Each sync sends them again. To keep values`)
    expect(stderr).toContain('use --accept-stored.\n0 created, 1 updated, 0 deleted\n')
    expect(stdout).toContain(`update,tea,sho.rt,${shop('tea')},${shop('Tea')},"url, title","url, title",,done,\n`)
  }
  for (const option of [[], ['--check'], ['--apply']]) {
    const { status, stdout, stderr } = await run('sync', file, '--accept-stored', ...option)
    expect(status).toBe(0)
    expect(stderr).toContain('1 to keep, 0 to delete. 1 kept as the server stores them\n')
    expect(stderr).toContain(`${differ}\nNothing to do.\n`)
    expect(stdout).toContain(`keep,tea,sho.rt,${shop('tea')},${shop('Tea')},,"url, title",,done,\n`)
  }
})

it('does not advise --accept-stored if the option does not keep the value', async () => {
  const { sandbox, write } = await setUp({ data: { links: [{ alias: 'tea', longurl: shop('tea'), title: 'TEA' }] } })
  const file = await write('links.csv', `alias,url,title\ntea,${shop('tea')},Tea\n`)
  sandbox.fail({ method: 'PUT', body: { error: 0, id: 1, shorturl: 'https://sho.rt/tea' } })
  const { stderr } = await run('sync', file, '--apply', '--may-clear', '--accept-stored')
  expect(stderr).toContain('in another form than the file: tea (title). Each sync sends them again.\n')
})

it('says how the server spells an alias, then that the file must be changed', async () => {
  const { write } = await setUp({ dialect: ['alias-slugged'] })
  const file = await write('links.csv', `alias,url\nSale_May,${shop('sale')}\n`)
  const first = await run('sync', file, '--apply')
  expect(first.status).toBe(0)
  expect(first.stderr).toContain(
    'The server spells these aliases differently. In the file, write Sale_May as sale-may.\n1 created, 0 updated',
  )
  const { status, stdout } = await run('sync', file, '--apply')
  expect(status).toBe(1)
  expect(stdout).toContain('the server spells it ""sale-may"": write it so in the file')
})

it('has nothing to do after --apply on a server that respells addresses', async () => {
  const { write } = await setUp({ dialect: ['url-respelled'], data: { links: [] } })
  const rows = ['a/?x=1&y=2', 'caf%c3%a9/', '?href=1', 'cafe\u0301']
  const file = await write(
    'links.csv',
    `alias,url\n${rows.map((path, index) => `p-${index},${shop(path)}\n`).join('')}`,
  )
  expect((await run('sync', file, '--apply')).status).toBe(0)
  // The server drops the last slash.
  const check = await run('sync', file, '--check', '--json')
  expect(JSON.parse(check.stdout).map(({ alias }: { alias: string }) => alias)).toEqual(['p-0', 'p-1'])
  const { status, stdout } = await run('sync', file, '--check', '--accept-stored', '--json')
  expect(status).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject([{ action: 'keep' }, { action: 'keep' }])
})

it('rejects two rows that the server treats as one link, before anything is changed', async () => {
  const links = [{ alias: 'tea', longurl: shop('tea'), title: 'Tea' }]
  const { sandbox, write } = await setUp({ dialect: ['alias-case-ignored'], data: { links } })
  const file = await write('links.csv', `alias,url,title\nTea,${shop('tea')},A\ntea,${shop('tea')},B\n`)
  for (const option of [[], ['--apply', '--may-clear']]) {
    const { status, stdout, stderr } = await run('sync', file, ...option)
    expect([status, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(/row 2\b.*custom: "Tea" and "tea" \(row 3\) are the same alias on this server\n/)
  }
  expect(sandbox.data.links.map(({ title }) => title)).toEqual(['Tea'])
})

it('says that nothing was changed if it is stopped or fails while it reads', async () => {
  const { sandbox, file } = await setUpDifferences()
  sandbox.fail({ path: '/urls', delay: 10_000, times: 1 })
  const running = run('sync', file, '--apply', '--may-clear')
  await vi.waitFor(() => expect(sandbox.requests.length).toBe(1), 20_000)
  pressCtrlC()
  const { status, stderr } = await running
  expect(status).toBe(130)
  expect(stderr).toContain('stopped: nothing was changed. Run the same command to start again.')
  expect(stderr).not.toContain('finished changes are kept')
})

it('does not report a change as done if the server created another alias', async () => {
  const { write } = await setUp({ dialect: ['alias-ignored'], data: { links: [] } })
  const file = await write('links.csv', `url,custom\n${shop('tea')},tea\n`)
  const { status, stdout } = await run('sync', file, '--apply', '--json')
  expect(status).toBe(1)
  expect(JSON.parse(stdout)).toMatchObject([
    { alias: 'tea', outcome: 'unknown', error: expect.stringContaining('a sync cannot create links on this server') },
  ])
})
