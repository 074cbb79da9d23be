import { access, constants, realpath } from 'node:fs/promises'
import { dirname, extname } from 'node:path'
import { defineCommand } from 'citty'
import { ShortLinkClient } from '../client.ts'
import { isShortLinkError, printable } from '../errors.ts'
import { importLinks, itemsOf } from '../tasks/import.ts'
import { lockFile } from '../tasks/lock.ts'
import { clientArgs } from './client.ts'
import { type ReadLink, readLinks } from './columns.ts'
import { command, IncompleteError, messageOf, repeated, UsageError } from './command.ts'
import { type Input, readInput } from './input.ts'
import { hasNames, resolveNames } from './names.ts'
import { type Output, outputArgs, outputOf } from './output.ts'
import { timeFor } from './progress.ts'
import { type RowResult, resultRows, resultTable, splitResult } from './result.ts'
import { count, countsOf, many } from './words.ts'
import { journalBeside, Work } from './work.ts'
import { withAdvice } from './write-whole.ts'

/** `shortlink-sdk import` */
export const importCommand = command(
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
      ...clientArgs,
    },
    async run({ args }) {
      const { file, domain, campaign, channel, reuse, 'on-taken': onTaken, 'dry-run': isDry, out } = args
      if (onTaken !== undefined && onTaken !== 'suffix')
        throw new UsageError(`--on-taken takes suffix, not '${onTaken}'`)
      const output = await outputOf(args, {
        input: file,
        suffixes: { '.tsv': 'csv', '.txt': 'csv' },
      })
      const { input, done } = splitResult(await readInput(file))
      const { links: read, notes } = readLinks(input, repeated(args.map), ['url'])
      for (const note of notes) console.error(printable(note))
      const todo = read.filter(({ row }) => !done.has(row.number))
      const defaults = { domain, campaign, channel }
      const work = isDry && !hasNames(todo, defaults) ? undefined : new Work(args, 'links')
      const links = await resolveNames(todo, defaults, () => work!.client)
      const problems = await problemsOf(links)
      const client = work?.client ?? new ShortLinkClient()
      // To reuse links takes the newest ones, 1,000 at most.
      const isSearching = reuse && links.some(({ values }) => !values.custom)
      const requests = links.length - problems.size + (isSearching ? 10 : 0)
      const before = done.size > 0 ? ` (${count(done.size)} done before)` : ''
      console.error(`${many(input.rows.length, 'link')}${before}${timeFor(requests, client)}`)
      if (isDry || !work) {
        for (const [number, problem] of problems) console.error(printable(`${input.name}, row ${number}: ${problem}`))
        if (problems.size > 0) throw new Error(`${many(problems.size, 'row')} cannot be imported`)
        return
      }

      const journal = await journalOf(file, out)
      const results = new Map<number, RowResult>(done)
      for (const { row, problem } of links)
        if (problem) results.set(row.number, { outcome: 'not-sent', error: problem })
      const sent = links.filter(({ problem }) => problem === undefined)
      const unlock = await lock(file)
      let replayed = done.size
      const main = async () => {
        const rows = sent.map(({ row, values }) => ({ ...values, row: row.number }))
        const options = {
          signal: work.signal,
          onProgress: work.progress.show,
          ...(journal && { journal: journal.journal }),
          ...(onTaken && { onTaken: 'suffix' as const }),
          ...(reuse && { reuse }),
        }
        let hasWorked = false
        for await (const result of importLinks(work.client, rows, options)) {
          const link = sent[result.index]!
          if (result.replayed) replayed++
          if (result.ok) hasWorked = true
          else work.check(result.error, !hasWorked && !hasIds(link))
          results.set(link.row.number, resultOf(result))
        }
      }
      let end: unknown
      try {
        await work.run(main, () => {
          const made = [...results.values()].filter(({ outcome }) => outcome === 'done').length
          const next = journal ? `, and ${journal.name} remembers them. The same command continues there.` : '.'
          return `stopped: ${count(made)} of ${many(input.rows.length, 'link')} are done${next}`
        })
      } catch (error) {
        end = withAdvice(error)
      } finally {
        await unlock?.()
      }
      const made = [...results.values()].filter(({ outcome }) => outcome === 'done' || outcome === 'unknown')
      if (end !== undefined && made.length === 0) throw end
      for (const { row } of sent) {
        if (!results.has(row.number)) results.set(row.number, { outcome: 'not-sent', error: NOT_BEGUN })
      }
      try {
        await write(output, input, results, out)
      } catch (error) {
        throw withAdvice(error)
      }
      const failed = say(results, replayed)
      if (end !== undefined) throw end instanceof Error ? new IncompleteError(messageOf(end)) : end
      if (failed === 0) await journal?.remove()
      else {
        const again = 'To try again, run the same command.'
        throw new IncompleteError(`${many(failed, 'row')} failed, see outcome and error. ${again}`)
      }
    },
  }),
  1,
)

/** The journal beside the result, or else beside the input; none if there is neither. */
async function journalOf(file: string, out: string | undefined) {
  const beside = out ?? (file === '-' ? undefined : file)
  if (beside === undefined) return undefined
  try {
    await access(dirname(beside), constants.W_OK)
  } catch {
    throw new UsageError(
      `${dirname(beside)} cannot be written, and the journal goes there: give --out in another folder`,
    )
  }
  return journalBeside(beside)
}

/** Keeps a second import of the same file away, whatever its name and its result are called. */
async function lock(file: string): Promise<(() => Promise<void>) | undefined> {
  if (file === '-') return undefined
  const path = await realpath(file)
  try {
    return await lockFile(path, 'import of')
  } catch (error) {
    // In a folder that nobody can write there is nothing to lock with.
    if (['EACCES', 'EROFS', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined
    throw new Error((error as Error).message.replace('journal ', ''))
  }
}

/** The rows that cannot be sent by their numbers, and why. */
async function problemsOf(links: readonly ReadLink[]): Promise<Map<number, string>> {
  const problems = new Map<number, string>()
  let index = 0
  for await (const item of itemsOf(links.map(({ row, values }) => ({ ...values, row: row.number })))) {
    const { row, problem = item.problem === undefined ? undefined : messageOf(item.problem) } = links[index++]!
    if (problem !== undefined) problems.set(row.number, problem)
  }
  return problems
}

/** Whether a 404 may be about an id in the row, rather than about the address of the server. */
const hasIds = ({ values }: ReadLink): boolean =>
  (['campaign', 'channel', 'domain', 'pixels', 'type'] as const).some((name) => values[name])

/** The error of rows that an import has not come to when it ends early. */
const NOT_BEGUN = 'not begun'

const isNotBegun = (error: unknown): boolean =>
  isShortLinkError(error) && error.code === 'aborted' && error.outcome === 'not-sent'

interface Result {
  readonly shorturl?: string | undefined
  readonly created?: boolean | undefined
  readonly outcome: string
  readonly error?: unknown
}

const resultOf = ({ shorturl, created, outcome, error }: Result): RowResult => ({
  shorturl,
  created,
  outcome,
  error: error === undefined ? undefined : isNotBegun(error) ? NOT_BEGUN : messageOf(error),
})

function write(output: Output, input: Input, results: ReadonlyMap<number, RowResult>, out = ''): Promise<void> {
  const format = output.isChosen ? output.format : input.format
  if (format !== 'csv') return output.write(resultRows(input, results), undefined, format)
  const delimiter = extname(out).toLowerCase() === '.tsv' ? '\t' : input.dialect.delimiter
  return output.writeWhole(resultTable(input, results, output.isTerminal ? printable : String, delimiter))
}

/** Prints the totals, and returns how many failed. */
function say(results: ReadonlyMap<number, RowResult>, replayed: number): number {
  const all = [...results.values()]
  const done = all.filter(({ outcome }) => outcome === 'done')
  const created = done.filter((result) => result.created).length
  const failed = all.length - done.length
  const earlier = replayed > 0 ? ` (${count(replayed)} done before)` : ''
  console.error(`${countsOf(created, done.length - created, failed)}${earlier}`)
  return failed
}
