import { expect, test } from 'vitest'
import { run, setUp, shop } from './run.ts'

const rows = Array.from({ length: 300 }, (_, index) => {
  if (index % 25 === 3) return `shop.example/${index},a${index},`
  return `${shop(`p${index}`)},a${index},${index % 4 === 0 ? 'Sommer' : ''}`
})
const table = `url,custom,campaign\n${rows.join('\n')}\n`

test('rows with the same problem are one line in a dry run, at the end of an import, and in a sync', async () => {
  const { write } = await setUp()
  const file = await write('x.csv', table)
  const campaign = '72 rows: campaign: no campaign is called "Sommer"'
  const named = '(rows 2, 6, 10, …)'
  for (const args of [
    ['import', file, '--dry-run'],
    ['import', file],
    ['sync', file],
  ]) {
    const { status, stderr } = await run(...args)
    expect(status).toBe(args[0] === 'sync' ? 2 : 1)
    const lines = stderr.split('\n').filter((line) => line.includes(`${file}, `))
    expect(lines).toHaveLength(13)
    expect(lines.find((line) => line.includes('72 rows'))).toMatch(
      new RegExp(`${campaign}.*${named.replace(/[().]/g, '\\$&')}$`),
    )
    expect(lines.filter((line) => /, row \d+: url: expected an absolute URL/.test(line))).toHaveLength(12)
  }
})

test('at most 20 problems are printed at the end of an import', async () => {
  const { write } = await setUp()
  const many = Array.from({ length: 50 }, (_, index) => `shop.example/${index}\n`).join('')
  const file = await write('x.csv', `url\n${many}`)
  const { stderr } = await run('import', file)
  expect(stderr.split('\n').filter((line) => line.includes(`${file}, row `))).toHaveLength(20)
  expect(stderr).toContain('\n30 more problems are in the column error\n')
})
