/** Reading the rows of a page alone, against `JSON.parse` of the same text. */
import { array, safeParse } from 'zod/mini'
import { campaign } from '../../src/resources/campaigns.ts'
import { withServer } from './children.ts'
import { type Finding, interleave } from './measure.ts'
import { program } from './peers.ts'

type Read = (rows: unknown) => unknown

const baseline = 'JSON.parse'

export async function compare(quick: boolean): Promise<Finding[]> {
  const { readers }: { readers: Record<string, Read> } = await import(program('readers'))
  const schema = array(campaign)
  const text = await withServer(async (address) => (await fetch(`${address(25)}/campaigns`)).text())
  const rows: unknown[] = JSON.parse(text).data.campaigns
  const contestants: Record<string, Read> = {
    ...readers,
    'shortlink-sdk': (value) => safeParse(schema, value),
  }
  const timed = Object.entries(contestants).map(([name, read]) => [name, () => microseconds(() => read(rows))])
  const measured = await interleave(quick ? 10 : 60, {
    [baseline]: () => microseconds(() => JSON.parse(text)),
    ...Object.fromEntries(timed),
  })
  return [
    {
      title: 'Reading a page of 25 rows',
      how: 'The rows alone, checked and rebuilt, without `JSON.parse`. The libraries take the documented types only; this project also takes the spellings of PHP.',
      unit: 'µs',
      baseline,
      byRatio: true,
      rows: measured,
    },
  ]
}

const repeats = 300

function microseconds(read: () => unknown): number {
  const start = performance.now()
  for (let repeat = 0; repeat < repeats; repeat++) read()
  return ((performance.now() - start) / repeats) * 1000
}
