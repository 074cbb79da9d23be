import { extname } from 'node:path'
import process from 'node:process'
import { ShortLinkClient } from '../../../../src/client/client.ts'
import { hostOf, lettersOf } from '../../../../src/client/resources/links/match.ts'
import { printable } from '../../../../src/client/runtime/text.ts'
import type { ImportResult, ImportSummary } from '../../tasks/import.ts'
import { checkDone, isDone, leftAsItIs } from '../check-done.ts'
import { type ClientArgs, clientArgs, clientOf } from '../client.ts'
import { asIncomplete, command, errorMessage, IncompleteError, UsageError } from '../command.ts'
import { countsOf, formatCount, many } from '../counts-and-times.ts'
import { parameters } from '../files/column-names.ts'
import { checkRows, type LinkFile, type Row, readLinks, setAlias } from '../files/columns.ts'
import { type RowResult, readInput } from '../files/input.ts'
import { throwIfNotReplaceable } from '../files/replaceable.ts'
import { resultRows, resultTable } from '../files/result.ts'
import { withRemedy } from '../files/write-whole.ts'
import { type ImportJournal, journalOf } from '../import-journal.ts'
import { importRows, isNotBegun } from '../import-rows.ts'
import { cellText, type Output, type OutputArgs, outputArgs, outputOf } from '../output.ts'
import { timeFor } from '../progress.ts'
import { resolveNames, setDefaults } from '../resolve-names.ts'
import { Work } from '../work.ts'

/** `shortlink-sdk import` */
export default command(
  {
    meta: {
      name: 'import',
      description: 'Make a link for every row of a file, and write the file with its links',
    },
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
      const { reuse, 'on-taken': onTaken, 'dry-run': isPreview } = args
      if (onTaken !== undefined && onTaken !== 'suffix') {
        throw new UsageError(`--on-taken takes suffix, not '${onTaken}'`)
      }
      const work = isPreview ? undefined : new Work(args, 'links')
      const prepared = await prepareImport(args, work)
      if (!work) return previewImport(prepared)
      const end = await runImport(prepared, work, { reuse, ...(onTaken && { onTaken }) })
      await finishImport(prepared, end)
    },
  },
  1,
)

interface ImportArgs extends ClientArgs, OutputArgs {
  readonly file: string
  readonly map?: readonly string[] | undefined
  readonly domain?: string | undefined
  readonly campaign?: string | undefined
  readonly channel?: string | undefined
  readonly journal?: string | undefined
  readonly reuse?: boolean | undefined
}

/** An import whose rows are read and checked. */
interface PreparedImport extends LinkFile {
  /** The rows that can be sent and that no earlier result has a link for. */
  readonly sent: readonly Row[]
  readonly journal: ImportJournal | undefined
  readonly output: Output
  readonly out: string | undefined
}

/** Reads and checks the rows, looks up what they name, and says how many there are and how long they take. */
async function prepareImport(args: ImportArgs, work: Work | undefined): Promise<PreparedImport> {
  const { file, map = [], domain, campaign, channel, out } = args
  const output = await outputOf(args, { input: file, suffixes: { '.tsv': 'csv', '.txt': 'csv' } })
  const links = readLinks(await readInput(file), map, ['url'])
  const { input, rows, hosts } = links
  const journal = await journalOf(file, args.journal, out)
  if (work && out !== undefined) {
    const known = new Set([...(journal?.addresses ?? []), ...rows.flatMap(({ result }) => result?.shorturl ?? [])])
    await throwIfNotReplaceable(out, input, known)
  }
  // The alias that was drawn for a row makes the same link, whichever of the file and its result is imported.
  if (!args.reuse) for (const row of rows) setAlias(row, row.result?.alias)

  for (const row of rows) {
    if (row.result?.outcome === 'unknown' && !row.values.custom) row.problem = MAY_HAVE_LINK
  }

  const { SHORTLINK_BASE_URL, SHORTLINK_API_KEY } = process.env
  const hasAddress = Boolean(work ?? ((args['base-url'] || SHORTLINK_BASE_URL) && SHORTLINK_API_KEY))
  const connect = () => work?.client ?? clientOf(args)
  // Without an address, the usual rate limit tells how long it takes.
  const client = hasAddress ? connect() : new ShortLinkClient({ baseUrl: 'http://localhost' })
  const defaults = { domain, campaign, channel }
  setDefaults(rows, defaults)
  const todo = rows.filter((row) => !isDone(row))
  const values = todo.map(({ values }) => values)
  const replayed = hasAddress && journal ? await journal.countDone(client, values) : 0
  const isAllDone = replayed === todo.length
  await resolveNames(rows, defaults, connect, isAllDone ? undefined : hosts)
  await checkRows(todo)

  const sent = todo.filter(({ problem }) => problem === undefined)
  const checked = rows.length - todo.length
  const counts = [
    many(rows.length, 'link'),
    ...(replayed > 0 ? [`${formatCount(replayed)} done before`] : []),
    ...(checked > 0 ? [`${formatCount(checked)} to check`] : []),
  ]
  console.error(`${counts.join(', ')}${timeFor(sent.length - replayed, client)}`)
  return { ...links, sent, journal, output, out }
}

/** Shows what would be sent, and what is wrong. */
function previewImport({ input, rows, sent }: PreparedImport): void {
  for (const line of [...firstRows(sent), ...twinAliases(sent)]) console.error(printable(line))
  const invalid = rows.filter((row) => row.problem !== undefined && !isDone(row))
  for (const { number, problem } of invalid) console.error(printable(`${input.name}, row ${number}: ${problem}`))
  if (invalid.length > 0) throw new Error(`${many(invalid.length, 'row')} cannot be imported`)
}

/** The first rows as they are sent. */
const firstRows = (rows: readonly Row[]): string[] =>
  rows.slice(0, 3).map(({ number, values }) => {
    const cells = Object.entries(values).flatMap(([name, value]) => {
      if (!parameters.includes(name) || cellText(value) === '') return []
      return `${name}=${name === 'password' ? '(a password)' : cellText(value)}`
    })
    return `row ${number}: ${cells.join(', ')}`
  })

/** Aliases that a server with its own spelling would take for one. */
function twinAliases(rows: readonly Row[]): string[] {
  const firsts = new Map<string, Row>()
  return rows.flatMap((row) => {
    const { custom, domain } = row.values
    if (!custom) return []
    const key = `${domain ? hostOf(domain) : ''}/${lettersOf(custom)}`
    const first = firsts.get(key)
    firsts.set(key, first ?? row)
    if (!first || first.values.custom === custom) return []
    return `rows ${first.number} and ${row.number}: ${first.values.custom} and ${custom} are one alias on some servers`
  })
}

/** The totals of an import, and what ended it early, if anything did. */
interface ImportEnd {
  readonly summary: ImportSummary | undefined
  readonly error: unknown
}

/** Checks the links of an earlier result, and makes those of the other rows. */
async function runImport(
  { rows, sent, journal }: PreparedImport,
  work: Work,
  options: { reuse?: boolean | undefined; onTaken?: 'suffix' },
): Promise<ImportEnd> {
  if (!journal) console.error(NO_JOURNAL)
  for (const row of rows) {
    const { problem = NOT_TRIED, values } = row
    const outcome = problem === MAY_HAVE_LINK ? 'unknown' : 'not-sent'
    if (!isDone(row)) row.result = { alias: values.custom ?? undefined, outcome, error: problem }
  }
  const howToContinue = () => {
    const made = rows.filter(({ result }) => result?.outcome === 'done').length
    const next = journal ? `, and ${journal.path} remembers them. The same command continues there.` : '.'
    return `stopped: ${formatCount(made)} of ${many(rows.length, 'link')} are done${next}`
  }
  const { client, signal, progress } = work
  try {
    const check = () => checkDone(client, rows.filter(isDone), { signal, onProgress: progress.show })
    if (rows.some(isDone)) await work.run(check, howToContinue)
    if (sent.length > 0) await journal?.create()
  } catch (error) {
    return { summary: undefined, error: withRemedy(error, '--journal') }
  }
  const values = sent.map(({ values }) => values)
  const keep = (result: ImportResult<Row['values']>) => {
    sent[result.index]!.result = resultOf(result)
  }
  return importRows(work, values, { journal: journal?.journal, ...options }, keep, howToContinue)
}

function resultOf(result: ImportResult<Row['values']>): RowResult {
  const { alias, outcome, error } = result
  // In a result, `done` means that the row has its link.
  const shown = outcome === 'done' ? 'unknown' : outcome
  if (!result.ok) return { alias, outcome: shown, error: isNotBegun(error) ? NOT_TRIED : errorMessage(error) }
  const { shorturl, created, differs } = result
  return { shorturl, alias, created, outcome, error: leftAsItIs(differs) }
}

/** Writes the result, says what was done and what was not, and fails if not everything is. */
async function finishImport(prepared: PreparedImport, { summary, error: end }: ImportEnd): Promise<void> {
  const { rows, journal, output, out } = prepared
  const { created = 0, found = 0, replayed = 0, strays = [] } = summary ?? {}
  const outcomes = rows.map(({ result }) => result?.outcome)
  if (end !== undefined && !outcomes.some((outcome) => outcome === 'done' || outcome === 'unknown')) {
    for (const line of strayLines(strays)) console.error(line)
    throw end
  }
  const aside = await output.stepAside()
  await writeResult(prepared)
  const notTried = rows.filter(({ result }) => result?.error === NOT_TRIED).length
  const failed = outcomes.filter((outcome) => outcome !== 'done').length - notTried
  const doneBefore = rows.length - failed - notTried - created - found
  if (doneBefore === rows.length && doneBefore > 0) {
    const again = replayed > 0 && journal ? `: delete ${journal.path} to import them again` : ''
    console.error(`${formatCount(doneBefore)} done before, nothing sent${again}`)
  } else console.error(countsOf({ created, found, failed, notBegun: notTried, doneBefore }))
  const differing = rows.filter(({ result }) => result?.outcome === 'done' && result.error).length
  if (differing > 0)
    console.error(`${many(differing, 'link')} may lack what the row says, see error: sync changes links`)
  for (const line of strayLines(strays)) console.error(line)
  if (aside) console.error(printable(`${out} was written by another run meanwhile: the result is in ${aside}`))
  if (end !== undefined) throw asIncomplete(end)
  if (aside) throw new IncompleteError(`${out} is not the result of this import`)
  if (failed > 0) {
    const again = 'To try again, run the same command.'
    throw new IncompleteError(`${many(failed, 'row')} failed, see outcome and error. ${again}`)
  }
}

function writeResult({ input, rows, output, out = '' }: PreparedImport): Promise<void> {
  const format = output.format ?? input.format
  if (format !== 'csv') return output.write(resultRows(input.columns, rows), undefined, format)
  const delimiter = extname(out).toLowerCase() === '.tsv' ? '\t' : input.dialect.delimiter
  return output.writeWhole(resultTable(input, rows, output.show, delimiter))
}

/** Advice on the links that the server made under another alias or domain. */
const strayLines = (strays: ImportSummary['strays']): string[] =>
  strays.map(({ id, shorturl }) =>
    printable(
      `${shorturl} was made in place of the wanted link. To delete it: shortlink-sdk call DELETE /url/${id}/delete`,
    ),
  )

const NO_JOURNAL =
  'No journal: after a crash, the same command would make its links a second time. --journal FILE keeps one.'

/** The error of rows that an import has not come to when it ends early. */
const NOT_TRIED = 'not tried yet'

/** The error of a row of an earlier result that may have a link whose alias nobody knows. */
const MAY_HAVE_LINK =
  'an earlier import may have made the link of this row: import its own input again, or empty outcome to make another link'
