import { defineCommand } from 'citty'
import { ShortLinkClient } from '../client.ts'
import { isShortLinkError, printable } from '../errors.ts'
import { importLinks, itemsOf } from '../tasks/import.ts'
import type { LinkRow } from '../tasks/rows.ts'
import { clientArgs, clientOf } from './client.ts'
import { command, UsageError } from './command.ts'
import { type InputRow, readLinks } from './input.ts'
import { type OutputRow, outputArgs, outputOf } from './output.ts'
import { timeFor } from './progress.ts'
import { count, many } from './words.ts'
import { journalBeside, Work } from './work.ts'

/** `shortlink-sdk import` */
export const importCommand = command(
  defineCommand({
    meta: { name: 'import', description: 'Make a link for every row of a file' },
    args: {
      file: {
        type: 'positional',
        required: true,
        description: '.csv, .json or .ndjson with url and, if wanted, custom, domain, title, …',
      },
      'on-taken': {
        type: 'string',
        valueHint: 'suffix',
        description: 'an alias that leads elsewhere becomes alias-2, alias-3, …',
      },
      'dry-run': { type: 'boolean', description: 'check the file and say how long it takes; nothing is sent' },
      ...outputArgs,
      ...clientArgs,
    },
    async run({ args }) {
      const { file, 'on-taken': onTaken, out } = args
      if (onTaken !== undefined && onTaken !== 'suffix')
        throw new UsageError(`--on-taken takes suffix, not '${onTaken}'`)
      const output = await outputOf(args)
      const client = args['dry-run'] ? new ShortLinkClient() : clientOf(args)
      const { rows, ignored } = await readLinks(file, ['url'])
      if (ignored.length > 0)
        console.error(`Not sent, because a link has no such parameter: ${printable(ignored.join(', '))}`)
      const bad = await problemsOf(rows)
      // Rows without an alias need the newest links, 1,000 at most.
      const isSearching = rows.some(({ values }) => !values.custom && !values.alias)
      const requests = rows.length - bad.length + (isSearching ? 1 : 0)
      console.error(`${many(rows.length, 'link')}${timeFor(requests, client)}`)
      if (args['dry-run']) {
        for (const { line, problem } of bad) console.error(`${file}, line ${line}: ${problem}`)
        if (bad.length > 0) throw new Error(`${many(bad.length, 'row')} cannot be imported`)
        return
      }

      const { name, journal, remove } = journalBeside(out ?? file)
      const work = new Work(client, 'links')
      const results: OutputRow[] = []
      let before = 0
      let done = 0
      const main = async () => {
        const inputs = rows.map(({ values }) => values as LinkRow)
        const run = importLinks(work.client, inputs, {
          journal,
          signal: work.signal,
          onProgress: work.progress.show,
          ...(onTaken && { onTaken }),
        })
        for await (const result of run) {
          if (result.replayed) before++
          if (result.ok) done++
          else work.check(result.error, done === 0 && !hasIds(rows[result.index]!))
          results[result.index] = resultRow(rows[result.index]!, result)
        }
      }
      await work.run(main, () => {
        const where = `${count(done)} of ${many(rows.length, 'link')} are done, and ${name} remembers them`
        return `stopped: ${where}. The same command continues there.`
      })
      await output.write(results, ['line', 'url', 'custom', 'shorturl', 'created', 'outcome', 'error'])
      const failed = results.filter(({ outcome }) => outcome !== 'done').length
      const earlier = before > 0 ? `, ${count(before)} of them before` : ''
      console.error(`${many(rows.length - failed, 'link')} done${earlier}, ${count(failed)} failed`)
      if (failed === 0) await remove()
      else throw new Error(`${many(failed, 'row')} failed, see outcome and error. To try again, run the same command.`)
    },
  }),
  1,
)

/** The rows that cannot be sent, and why. */
async function problemsOf(rows: readonly InputRow[]): Promise<{ line: number; problem: string }[]> {
  const problems: { line: number; problem: string }[] = []
  let index = 0
  for await (const { problem } of itemsOf(rows.map(({ values }) => values as LinkRow))) {
    const { line } = rows[index++]!
    if (problem !== undefined) problems.push({ line, problem: (problem as Error).message })
  }
  return problems
}

/** Whether a 404 may be about an id in the row, rather than about the address of the server. */
const hasIds = ({ values }: InputRow): boolean =>
  ['campaign', 'channel', 'domain', 'pixels', 'type'].some((name) => values[name])

/** A row of the result: the input without its password, and what became of it. */
function resultRow(
  { values: { password: _, ...values } }: InputRow,
  result: { shorturl?: string | undefined; created?: boolean | undefined; outcome: string; error?: unknown },
): OutputRow {
  const { shorturl, created, outcome, error } = result
  const message = error === undefined ? undefined : isShortLinkError(error) ? error.message : String(error)
  return { ...values, shorturl, created, outcome, error: message }
}
