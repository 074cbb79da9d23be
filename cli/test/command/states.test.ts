import { expect, test } from 'vitest'
import { run, sentTo, setUp, shop } from './run.ts'

const a = { url: shop('a'), custom: 'a' }

test.each(['active', 'Enabled', 'live', 'published', 'ON', 'yes', 'TRUE', '1', 'ok', '', 'NULL'])(
  'a link whose state is %j is imported, and the state is not sent',
  async (cell) => {
    for (const column of ['status', 'Link Status', 'state']) {
      const { sandbox, write } = await setUp()
      const { status, stderr } = await run('import', await write('x.csv', `url,custom,${column}\n${a.url},a,${cell}\n`))
      expect({ status, sent: sentTo(sandbox) }).toEqual({ status: 0, sent: [a] })
      expect(stderr).toContain(`not sent: ${column}\n`)
    }
  },
)

test.each(['public', 'Private'])('the state %s is sent', async (cell) => {
  for (const column of ['status', 'link_status']) {
    const { sandbox, write } = await setUp()
    const rows = [`${a.url},a,${cell}`, `${shop('b')},b,active`, `${shop('c')},c,disabled`]
    const { status, stdout } = await run(
      'import',
      await write('x.csv', `url,custom,${column}\n${rows.join('\n')}\n`),
      '--json',
    )
    const sent = [
      { ...a, status: cell.toLowerCase() },
      { url: shop('b'), custom: 'b' },
    ]
    expect({ status, sent: sentTo(sandbox) }).toEqual({ status: 1, sent })
    expect(stdout).toContain(`"error": "${column}: is \\"disabled\\", but the new link would be live. To import it,`)
  }
})

test.each(['301', '302', '307', '308'])('the code %s in a column of states is named and not sent', async (cell) => {
  const { sandbox, write } = await setUp()
  const file = await write('x.csv', `url,custom,status\n${a.url},a,${cell}\n${shop('b')},b,active\n`)
  const { status, stderr } = await run('import', file)
  expect({ status, sent: sentTo(sandbox) }).toEqual({ status: 0, sent: [a, { url: shop('b'), custom: 'b' }] })
  expect(stderr).toContain(`not sent: status (${cell})\n`)
})

test.each([
  'disabled',
  'Trash',
  'draft',
  'off',
  '0',
  'no',
  'FALSE',
  'stopped',
  'closed',
  'hidden',
  'pending',
  'Disabled by admin',
  '404',
  'not active',
])('a link whose state is %j fails unless the column is left out or sent', async (cell) => {
  for (const column of ['status', 'link_status']) {
    const { sandbox, write, path } = await setUp()
    const file = await write('x.csv', `url,custom,${column}\n${a.url},a,${cell}\n`)
    const problem = `${column}: is ${JSON.stringify(cell)}, but the new link would be live. To import it, use --map '${column}='`
    const plan = await run('import', file, '--dry-run')
    expect(plan.status).toBe(1)
    expect(plan.stderr).toContain(`${file}, row 2: ${problem}\n`)
    const { status, stdout } = await run('import', file, '--json')
    expect(status).toBe(1)
    expect(JSON.parse(stdout)).toMatchObject([{ outcome: 'not-sent', error: problem }])
    expect(sandbox.requests).toEqual([])
    const leftOut = await run('import', file, '--map', `${column}=`)
    expect(leftOut.status).toBe(0)
    expect(leftOut.stderr).toContain(`not sent: ${column}\n`)
    const other = ['--journal', path('j'), '--domain', 'https://sho.rt']
    await run('import', file, '--map', `${column}=status`, ...other)
    expect(sentTo(sandbox)).toEqual([a, { ...a, domain: 'https://sho.rt', status: cell.toLowerCase() }])
  }
})

test('of a file with many states, only the live links are made until --map leaves the column out', async () => {
  const { sandbox, write } = await setUp()
  const states = ['active', 'disabled', 'trash', 'draft', 'Disabled by admin']
  const rows = states.map((state, index) => `${shop(`s${index}`)},s${index},${state}`)
  const file = await write('x.csv', `url,slug,status\n${rows.join('\n')}\n`)
  expect((await run('import', file)).status).toBe(1)
  expect(sandbox.data.links).toHaveLength(1)
  const { status, stderr } = await run('import', file, '--map', 'status=')
  expect(status).toBe(0)
  expect(stderr).toContain('not sent: status\n')
  expect(sandbox.data.links).toHaveLength(5)
})

test.each([
  ['active', 'stopped', false],
  ['active', 'ja', true],
  ['enabled', 'no', false],
  ['disabled', 'false', true],
  ['disabled', 'by admin', false],
])('a column %s with the cell %s is live: %s', async (column, cell, isLive) => {
  const { sandbox, write } = await setUp()
  const { status } = await run('import', await write('x.csv', `url,custom,${column}\n${a.url},a,${cell}\n`))
  expect({ status, sent: sentTo(sandbox) }).toEqual(isLive ? { status: 0, sent: [a] } : { status: 1, sent: [] })
})
