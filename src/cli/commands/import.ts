import { extname } from 'node:path'
import process from 'node:process'
import { ShortLinkClient } from '../../client.ts'
import { hostOf, lettersOf } from '../../resources/links/match.ts'
import { printable } from '../../runtime/text.ts'
import type { ImportResult } from '../../tasks/import.ts'
import type { LinkRow } from '../../tasks/rows.ts'
import { checkDone } from '../check-done.ts'
import { clientArgs, clientOf } from '../client.ts'
import { asIncomplete, command, IncompleteError, messageOf, UsageError } from '../command.ts'
import { countsOf, formatCount, many } from '../counts-and-times.ts'
import { problemsOf, type ReadLink, readLinks } from '../files/columns.ts'
import { type Input, readInput } from '../files/input.ts'
import { throwIfNotReplaceable } from '../files/replaceable.ts'
import { type DoneRow, isMapOfOutcome, type RowResult, resultRows, resultTable, splitResult } from '../files/result.ts'
import { journalOf } from '../import-journal.ts'
import { importRows, isNotBegun, Work } from '../interruptible-work.ts'
import { type Output, outputArgs, outputOf, textOf } from '../output.ts'
import { timeFor } from '../progress.ts'
import { resolveNames } from '../resolve-names.ts'

/** `shortlink-sdk import` */
export default command(
  {
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
        multiple: true,
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
      journal: {
        type: 'string',
        valueHint: 'file',
        description: 'what remembers which row got which link; default: FILE.journal, for standard input none',
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
      const maps = map ?? []
      const whole = await readInput(file)
      const earlier = maps.some(isMapOfOutcome) ? undefined : splitResult(whole)
      const { input, done } = earlier ?? { input: whole, done: new Map<number, DoneRow>() }
      const { links: read, notes } = readLinks(input, maps, ['url'])
      for (const note of notes) console.error(printable(note))
      const journal = await journalOf(file, args.journal, out)
      const ownAddresses = [...done.values()].map(({ shorturl }) => shorturl)
      const known = new Set([...(journal?.addresses ?? []), ...ownAddresses])
      if (work && out !== undefined) await throwIfNotReplaceable(out, input, known)

      const todo = read.filter(({ row }) => !done.has(row.number))
      const { SHORTLINK_BASE_URL, SHORTLINK_API_KEY } = process.env
      const hasAddress = Boolean(work ?? ((args['base-url'] || SHORTLINK_BASE_URL) && SHORTLINK_API_KEY))
      const client = work?.client ?? (hasAddress ? clientOf(args) : new ShortLinkClient())
      const countDone = async (links: readonly ReadLink[]) =>
        hasAddress ? ((await journal?.countDone(client, links.map(rowOf))) ?? 0) : 0
      const areDone = async (links: readonly ReadLink[]) => (await countDone(links)) === links.length
      const links = await resolveNames(
        todo,
        { domain, campaign, channel },
        () => work?.client ?? clientOf(args),
        areDone,
      )
      const problems = await problemsOf(links)
      const valid = links.filter(({ problem }) => problem === undefined)
      const replayed = await countDone(valid)
      const time = timeFor(links.length - problems.size - replayed, client)
      const before = replayed + done.size
      console.error(
        `${many(input.rows.length, 'link')}${before > 0 ? `, ${formatCount(before)} done before` : ''}${time}`,
      )
      if (!work) {
        for (const line of previewOf(valid)) console.error(printable(line))
        for (const [number, problem] of problems) console.error(printable(`${input.name}, row ${number}: ${problem}`))
        if (problems.size > 0) throw new Error(`${many(problems.size, 'row')} cannot be imported`)
        return
      }

      if (!journal) console.error(NO_JOURNAL)
      const results = new Map<number, RowResult>(done)
      for (const { row, problem = NOT_BEGUN } of links) results.set(row.number, { outcome: 'not-sent', error: problem })
      const howToContinue = () => {
        const made = [...results.values()].filter(({ outcome }) => outcome === 'done').length
        const next = journal ? `, and ${journal.path} remembers them. The same command continues there.` : '.'
        return `stopped: ${formatCount(made)} of ${many(input.rows.length, 'link')} are done${next}`
      }
      if (done.size > 0) {
        const rows = read.flatMap(({ row, values }) => {
          const earlier = done.get(row.number)
          return earlier ? [{ number: row.number, shorturl: earlier.shorturl, values }] : []
        })
        const { signal, progress } = work
        await work.run(async () => {
          for (const [number, error] of await checkDone(work.client, rows, { signal, onProgress: progress.show })) {
            results.set(number, { ...done.get(number), outcome: 'rejected', error })
          }
        }, howToContinue)
      }
      const stale = [...results.values()].filter(({ outcome, shorturl }) => outcome !== 'done' && shorturl).length
      const { summary, error: end } = await importRows(
        work,
        valid.map(rowOf),
        { journal: journal?.journal, reuse, ...(onTaken && { onTaken }) },
        (result) => results.set(result.row.row, resultOf(result)),
        howToContinue,
      )
      const isMade = [...results.values()].some(({ outcome }) => outcome === 'done' || outcome === 'unknown')
      const strays = strayLines(summary.strays)
      if (end !== undefined && !isMade) {
        for (const line of strays) console.error(line)
        throw end
      }
      const aside = await output.stepAside()
      await write(output, input, results, out)
      const notBegun = [...results.values()].filter(({ error }) => error === NOT_BEGUN).length
      const isUndone = ({ outcome }: RowResult) => outcome !== 'done'
      const failed = [...results.values()].filter(isUndone).length - notBegun
      const { created, found } = summary
      const doneBefore = summary.replayed + done.size - stale
      if (created + found + failed + notBegun === 0 && doneBefore > 0) {
        const again = summary.replayed > 0 && journal ? `: delete ${journal.path} to import them again` : ''
        console.error(`${formatCount(doneBefore)} done before, nothing sent${again}`)
      } else console.error(countsOf({ created, found, failed, notBegun, doneBefore }))
      const differing = [...results.values()].filter(({ outcome, error }) => outcome === 'done' && error).length
      if (differing > 0)
        console.error(`${many(differing, 'link')} may lack what the row says, see error: sync changes links`)
      for (const line of strays) console.error(line)
      if (aside) console.error(printable(`${out} was written by another run meanwhile: the result is in ${aside}`))
      if (end !== undefined) throw asIncomplete(end)
      if (aside) throw new IncompleteError(`${out} is not the result of this import`)
      if (failed > 0) {
        const again = 'To try again, run the same command.'
        throw new IncompleteError(`${many(failed, 'row')} failed, see outcome and error. ${again}`)
      }
    },
  },
  1,
)

/** A link as it is sent. The number names it in errors; the other cells tell rows apart that are equal otherwise. */
const rowOf = ({ row, values, otherCells }: ReadLink) => ({ ...values, row: row.number, cells: otherCells })

/** What the first rows send, and aliases that a server with its own spelling would take for one. */
function previewOf(links: readonly ReadLink[]): string[] {
  const shown = links.slice(0, 3).map(({ row, values }) => {
    const cells = Object.entries(values).map(([name, value]) => {
      return `${name}=${name === 'password' ? '(a password)' : textOf(value)}`
    })
    return `row ${row.number}: ${cells.join(', ')}`
  })
  const firsts = new Map<string, ReadLink>()
  const twins = links.flatMap((link) => {
    const { custom, domain } = link.values
    if (!custom) return []
    const key = `${domain ? hostOf(domain) : ''}/${lettersOf(custom)}`
    const first = firsts.get(key)
    firsts.set(key, first ?? link)
    const isTwin = first && first.values.custom !== custom
    return isTwin
      ? [
          `rows ${first.row.number} and ${link.row.number}: ${first.values.custom} and ${custom} are one alias on some servers`,
        ]
      : []
  })
  return [...shown, ...twins]
}

/** How to delete the links that the server made under another alias or domain. */
const strayLines = (strays: readonly { id: number; shorturl: string }[]): string[] =>
  strays.map(({ id, shorturl }) =>
    printable(
      `${shorturl} was made in place of the wanted link. To delete it: shortlink-sdk call DELETE /url/${id}/delete`,
    ),
  )

const NO_JOURNAL =
  'No journal: after a crash, the same command would make its links a second time. --journal FILE keeps one.'

/** The error of rows that an import has not come to when it ends early. */
const NOT_BEGUN = 'not tried yet'

function resultOf(result: ImportResult<LinkRow>): RowResult {
  const { outcome, error } = result
  if (result.ok) {
    const { shorturl, created, differs = [] } = result
    const error = differs.length > 0 ? `left as it is: ${differs.join(', ')} may not be as in this row` : undefined
    return { shorturl, created, outcome, error }
  }
  return { outcome, error: isNotBegun(error) ? NOT_BEGUN : messageOf(error) }
}

function write(output: Output, input: Input, results: ReadonlyMap<number, RowResult>, out = ''): Promise<void> {
  const format = output.format ?? input.format
  if (format !== 'csv') return output.write(resultRows(input, results), undefined, format)
  const delimiter = extname(out).toLowerCase() === '.tsv' ? '\t' : input.dialect.delimiter
  return output.writeWhole(resultTable(input, results, output.show, delimiter))
}
