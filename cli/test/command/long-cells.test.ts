import { expect, test } from 'vitest'
import { run, setUp, shop } from './run.ts'

const long = 100_000

test.each([
  ['letters', 'a'.repeat(long)],
  ['dots', '.'.repeat(long)],
  ['letters with dots', 'a.'.repeat(long / 2)],
  ['digits', '1'.repeat(long)],
  ['slashes', 'a/'.repeat(long / 2)],
  ['spaces', `a${' '.repeat(long)}b`],
  ['apostrophes', "'".repeat(long)],
  ['guards', ";'".repeat(long / 2)],
  ['commas', ',x'.repeat(long / 2)],
  ['joiners', 'a\u200d'.repeat(long / 2)],
])('an alias of 100 kB of %s is sent or rejected without delay', async (_, custom) => {
  const { write } = await setUp()
  const file = await write('x.csv', `url,custom\n${shop('a')},"${custom}"\n`)
  for (const command of [['import', '--dry-run'], ['import'], ['sync']]) {
    const before = performance.now()
    await run(...command, file)
    expect(performance.now() - before).toBeLessThan(3000)
  }
})
