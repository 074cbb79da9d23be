import { realpath } from 'node:fs/promises'
import { extname } from 'node:path'
import { defineCommand } from 'citty'
import { ShortLinkClient } from '../client.ts'
import { printable } from '../runtime/text.ts'
import type { ImportResult } from '../tasks/import.ts'
import { lockFile } from '../tasks/lock.ts'
import type { LinkRow } from '../tasks/rows.ts'
import { clientArgs, clientOf } from './client.ts'
import { problemsOf, readLinks } from './columns.ts'
import { command, IncompleteError, messageOf, repeated, UsageError } from './command.ts'
import { type Input, readInput } from './input.ts'
import { resolveNames } from './names.ts'
import { type Output, outputArgs, outputOf } from './output.ts'
import { timeFor } from './progress.ts'
import { type RowResult, resultRows, resultTable, splitResult } from './result.ts'
import { count, countsOf, many } from './words.ts'
import { isNotBegun, journalBeside, place, Work } from './work.ts'

/** `shortlink-sdk import` */
export default command(
  defineCommand({
    meta: { name: 'import', description: 'Make a link for every row of a file, and write the file with its links' },
    args: {
      file: {
        type: 'positional',
        required: true,
        description:
          '.csv, .tsv, .txt, .json or .ndjson with url and, if wanted, custom, domain, title, …; - for stdin',
      },
      map: {
        type: 'string',
        valueHint: 'column=parameter',
        description: 'what a column is, such as "Vanity=custom"; "Notes=" for nothing; may be repeated',
      },
      domain: { type: 'string', valueHint: 'url', description: 'the domain of rows that have none' },
      campaign: { type: 'string', valueHint: 'name|id', description: 'the campaign of rows that have none' },
      channel: { type: 'string', valueHint: 'name|id', description: 'the channel of rows that have none' },
      reuse: { type: 'boolean', description: 'a row without an alias takes a link that leads to its address already' },
      'on-taken': {
        type: 'string',
        valueHint: 'suffix',
        description: 'an alias that leads elsewhere becomes alias-2, alias-3, …',
      },
      'dry-run': { type: 'boolean', description: 'check the file and say how long it takes; no link is made' },
      ...outputArgs,
      format: { ...outputArgs.format, description: 'default: table on a terminal, else that of the file' },
      out: { ...outputArgs.out, description: `${outputArgs.out.description}, or .tsv or .txt as the input` },
      ...clientArgs,
    },
    async run({ args }) {
      const { file, map, domain, campaign, channel, reuse, 'on-taken': onTaken, out } = args
      if (onTaken !== undefined && onTaken !== 'suffix') {
        throw new UsageError(`--on-taken takes suffix, not '${onTaken}'`)
      }
      const work = args['dry-run'] ? undefined : new Work(args, 'links')
      const output = await outputOf(args, { input: file, suffixes: { '.tsv': 'csv', '.txt': 'csv' } })
      const { input, done } = splitResult(await readInput(file))
      const { links: read, notes } = readLinks(input, repeated(map), ['url'])
      for (const note of notes) console.error(printable(note))
      const todo = read.filter(({ row }) => !done.has(row.number))
      const links = await resolveNames(todo, { domain, campaign, channel }, () => work?.client ?? clientOf(args))
      const problems = await problemsOf(links)
      const time = timeFor(links.length - problems.size, work?.client ?? new ShortLinkClient())
      console.error(`${many(input.rows.length, 'link')}${doneBefore(done.size)}${time}`)
      if (!work) {
        for (const [number, problem] of problems) console.error(printable(`${input.name}, row ${number}: ${problem}`))
        if (problems.size > 0) throw new Error(`${many(problems.size, 'row')} cannot be imported`)
        return
      }

      const beside = out ?? (file === '-' ? undefined : file)
      const journal = beside === undefined ? undefined : journalBeside(beside)
      const unlock = await lock(file)
      try {
        const results = new Map<number, RowResult>(done)
        for (const { row, problem = NOT_BEGUN } of links)
          results.set(row.number, { outcome: 'not-sent', error: problem })
        const sent = links.filter(({ problem }) => problem === undefined)
        let replayed = done.size
        const howToContinue = () => {
          const made = [...results.values()].filter(({ outcome }) => outcome === 'done').length
          const next = journal ? `, and ${journal.howToContinue}` : '.'
          return `stopped: ${count(made)} of ${many(input.rows.length, 'link')} are done${next}`
        }
        const end = await place(
          work,
          sent.map(({ row, values }) => ({ ...values, row: row.number })),
          { journal: journal?.journal, reuse, ...(onTaken && { onTaken }) },
          (result) => {
            if (result.ok && result.replayed) replayed++
            results.set(result.row.row, resultOf(result))
          },
          howToContinue,
        )
        const isMade = [...results.values()].some(({ outcome }) => outcome === 'done' || outcome === 'unknown')
        if (end !== undefined && !isMade) throw end
        await write(output, input, results, out)
        const failed = say(results, replayed)
        if (end !== undefined) throw new IncompleteError(messageOf(end))
        if (failed > 0) {
          const again = 'To try again, run the same command.'
          throw new IncompleteError(`${many(failed, 'row')} failed, see outcome and error. ${again}`)
        }
        await journal?.remove()
      } finally {
        await unlock?.()
      }
    },
  }),
  1,
)

/** Keeps a second import of the same file away, whatever its name and its result are called. */
async function lock(file: string): Promise<(() => Promise<void>) | undefined> {
  if (file === '-') return undefined
  return lockFile(await realpath(file), 'import of').catch((error) => {
    // In a folder that nobody can write there is nothing to lock with.
    if (['EACCES', 'EROFS', 'EPERM'].includes(error.code)) return undefined
    throw error
  })
}

/** The error of rows that an import has not come to when it ends early. */
const NOT_BEGUN = 'not begun'

function resultOf(result: ImportResult<LinkRow>): RowResult {
  const { outcome, error } = result
  if (result.ok) return { shorturl: result.shorturl, created: result.created, outcome }
  return { outcome, error: isNotBegun(error) ? NOT_BEGUN : messageOf(error) }
}

function write(output: Output, input: Input, results: ReadonlyMap<number, RowResult>, out = ''): Promise<void> {
  const format = output.format ?? input.format
  if (format !== 'csv') return output.write(resultRows(input, results), undefined, format)
  const delimiter = extname(out).toLowerCase() === '.tsv' ? '\t' : input.dialect.delimiter
  return output.writeWhole(resultTable(input, results, output.show, delimiter))
}

const doneBefore = (rows: number): string => (rows > 0 ? ` (${count(rows)} done before)` : '')

/** Prints the totals, and returns how many failed. */
function say(results: ReadonlyMap<number, RowResult>, replayed: number): number {
  const all = [...results.values()]
  const done = all.filter(({ outcome }) => outcome === 'done')
  const created = done.filter((result) => result.created).length
  const notBegun = all.filter(({ error }) => error === NOT_BEGUN).length
  const failed = all.length - done.length - notBegun
  console.error(`${countsOf(created, done.length - created, failed, notBegun)}${doneBefore(replayed)}`)
  return failed
}
