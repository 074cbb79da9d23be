import { defineCommand } from 'citty'
import { type ReportedLink, reportLinks } from '../tasks/report.ts'
import { clientArgs } from './client.ts'
import { command, UsageError } from './command.ts'
import { readInput } from './input.ts'
import { type OutputRow, outputArgs, outputOf } from './output.ts'
import { count, many } from './words.ts'
import { journalBeside, Work } from './work.ts'

/** `shortlink-sdk report` */
export const report = command(
  defineCommand({
    meta: { name: 'report', description: 'List every link with its clicks and unique clicks' },
    args: {
      previous: {
        type: 'string',
        valueHint: 'file',
        description: 'an earlier report, which says how many clicks are new',
      },
      statistics: {
        type: 'boolean',
        description: 'ask each link whose clicks differ from --previous for its statistics',
      },
      ...outputArgs,
      ...clientArgs,
    },
    async run({ args }) {
      const { previous: file, out } = args
      const output = await outputOf(args)
      const work = new Work(args, 'links')
      const previous = file === undefined ? [] : await readPrevious(file)
      const kept = out === undefined ? undefined : journalBeside(out)
      const rows: OutputRow[] = []
      let failed = 0
      const main = async () => {
        const run = reportLinks(work.tasks, {
          previous,
          ...(args.statistics && { statistics: true }),
          signal: work.signal,
          onProgress: work.progress.show,
          ...(kept && { journal: kept.journal }),
        })
        for await (const { link, index, newClicks, uniqueClicks, changed, isNew, error } of run) {
          if (error !== undefined) failed++
          work.check(error)
          const { uniqueclicks: _, ...rest } = link
          const problem = error === undefined ? {} : { error: String((error as Error).message) }
          rows[index] = { ...rest, uniqueClicks, newClicks, isNew, changed, ...problem }
        }
      }
      await work.run(main, () =>
        kept
          ? `stopped: ${kept.name} remembers ${many(rows.filter(Boolean).length, 'link')}. The same command continues there.`
          : 'stopped. With --out FILE, the same command continues where it stopped.',
      )
      await output.write(rows, ['id', 'shorturl', 'longurl', 'clicks', 'newClicks', 'uniqueClicks', 'error'])
      const changes = rows.filter(({ changed }) => changed).length
      console.error(`${many(rows.length, 'link')}, ${count(changes)} changed, ${count(failed)} failed`)
      await kept?.remove()
      if (failed > 0)
        throw new Error(`${many(failed, 'link')} without statistics, see error. The next report asks again.`)
    },
  }),
  0,
)

async function readPrevious(file: string): Promise<ReportedLink[]> {
  const { columns, rows } = await readInput(file)
  return rows.map(({ number, cells }) => {
    const link = Object.fromEntries(columns.map((column, index) => [column, cells[index]]))
    for (const name of ['id', 'clicks']) {
      if (!/^\d+$/.test(String(link[name]))) {
        throw new UsageError(`${file}, row ${number}: expected a row of a report with a number in ${name}`)
      }
    }
    return link as unknown as ReportedLink
  })
}
