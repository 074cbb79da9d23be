import { basename, dirname, extname, join } from 'node:path'
import { InvalidRequestError } from 'shortlink-sdk'
import { getHost } from '../../../../src/client/links/match.ts'
import { toPrintable } from '../../../../src/client/runtime/text.ts'
import { normalizeAlias } from '../../addresses.ts'
import { type ImportResult, type ImportSummary, importLinks, type PlannedRow } from '../../tasks/import.ts'
import { OtherServerError } from '../../tasks/journal-server.ts'
import { isOtherAliasError } from '../../tasks/row-errors.ts'
import { type LinkRow, parameterNames } from '../../tasks/rows.ts'
import { type CheckProgress, checkDone, describeDifferences, isDone } from '../check-done.ts'
import { type ClientArgs, clientArgs, createClient, createPlanningClient, hasBaseUrl } from '../client.ts'
import {
  defineCommand,
  getErrorMessage,
  IncompleteError,
  LINKS_EXIST,
  toIncompleteError,
  UsageError,
} from '../command.ts'
import { formatCount, formatCounts, pluralize } from '../counts-and-times.ts'
import { addEarlierResult, type LinkFile, type Row, readLinks } from '../files/columns.ts'
import { type RowResult, readInput } from '../files/input.ts'
import { throwIfNotReplaceable } from '../files/replaceable.ts'
import { createResultRows, formatResultTable } from '../files/result.ts'
import { describeProblems } from '../files/row-problems.ts'
import { addAdvice } from '../files/write-whole.ts'
import { formatCell } from '../format-cell.ts'
import { formatCommand } from '../format-command.ts'
import { createImportJournal, findDoneInOtherJournals, type ImportJournal, readAddresses } from '../import-journal.ts'
import { createOutput, formatJson, type Output, type OutputArgs, outputArgs } from '../output.ts'
import { print } from '../print.ts'
import { describeTime } from '../progress.ts'
import { resolveNames, setDefaults } from '../resolve-names.ts'
import { isNotStarted, runTask } from '../run-task.ts'
import { Work } from '../work.ts'

export default defineCommand(
  {
    meta: {
      name: 'import',
      description: 'Create a link for every row of a file, and write the file with its links',
      examples: [
        'shortlink import links.csv --dry-run',
        'shortlink import links.csv --out result.csv',
        "shortlink import bitly.csv --map 'Custom Link=custom' --out moved.csv",
      ],
    },
    args: {
      file: {
        type: 'positional',
        required: true,
        description:
          '.csv, .tsv, .txt, .json or .ndjson with url and, optionally, custom, domain, title, …; - for stdin',
      },
      map: {
        type: 'string',
        multiple: true,
        valueHint: 'column=parameter',
        description: 'the parameter of a column, such as "Vanity=custom"; "Notes=" ignores it; may be repeated',
      },
      domain: { type: 'string', valueHint: 'url', description: 'the domain for rows without one' },
      campaign: { type: 'string', valueHint: 'name|id', description: 'the campaign for rows without one' },
      channel: { type: 'string', valueHint: 'name|id', description: 'the channel for rows without one' },
      journal: {
        type: 'string',
        valueHint: 'file',
        description: 'where to record which row got which link; default: FILE.journal, or none for standard input',
      },
      'no-aliases': {
        type: 'boolean',
        description: 'let the server choose the aliases of rows without one; for servers that ignore or refuse aliases',
      },
      'same-server': {
        type: 'boolean',
        description: 'use the journal of another address, because it is the same server',
      },
      'retry-unknown': {
        type: 'boolean',
        description: 'send rows again whose link may exist, although that may create a second link',
      },
      'dry-run': { type: 'boolean', description: 'check the file and estimate the time; creates no link' },
      ...outputArgs,
      format: { ...outputArgs.format, description: 'default: table on a terminal, else the format of the file' },
      ...clientArgs,
    },
    async run({ args }) {
      const isPlanOnly = args['dry-run'] ?? false
      const prepared = await prepareImport(args, isPlanOnly)
      const end = await runImport(prepared, isPlanOnly)
      if (isPlanOnly) await showPlan(prepared, end)
      else await finishImport(prepared, end)
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
  readonly 'no-aliases'?: boolean | undefined
  readonly 'same-server'?: boolean | undefined
  readonly 'retry-unknown'?: boolean | undefined
}

/** An import whose file has been read. */
interface PreparedImport extends LinkFile {
  readonly args: ImportArgs
  readonly work: Work
  /** The rows that have no link from an earlier result. */
  readonly todo: readonly Row[]
  readonly journal: ImportJournal | undefined
  readonly output: Output
}

/** Reads the file, and checks that the result can be written. */
async function prepareImport(args: ImportArgs, isPlanOnly: boolean): Promise<PreparedImport> {
  const { file, map = [], domain, campaign, channel, out } = args
  const output = await createOutput(args, { input: file })
  const formatWithMaps = (maps: readonly string[]) => formatCommand('import', args, { map: maps })
  const links = readLinks(await readInput(file), map, ['url'], formatWithMaps)
  const { input, rows } = links
  const work = new Work(isPlanOnly ? createPlanningClient(args) : createClient(args), 'links')
  const journal = await createImportJournal(file, args.journal, out)
  if (!isPlanOnly && out !== undefined) {
    const inInput = rows.flatMap(({ result }) => result?.shorturl ?? [])
    await throwIfNotReplaceable(out, input, async () => new Set([...inInput, ...(await readAddresses(journal))]))
  }
  const sendsAliases = !args['no-aliases']
  const todo = rows.filter((row) => !isDone(row))
  for (const row of todo) addEarlierResult(row, sendsAliases)
  setDefaults(rows, { domain, campaign, channel })
  if (journal && args.journal === undefined) await throwIfDoneElsewhere(todo, journal, args, work.client)
  for (const row of todo) {
    const { problem = NOT_TRIED, values, result } = row
    const alias = values.custom ?? result?.alias
    row.result = { ...result, alias, outcome: result?.outcome ?? 'not-sent', error: problem }
  }
  return { ...links, args, work, todo, journal, output }
}

/** The totals of an import, and the error that ended it early, if any. */
interface ImportEnd {
  readonly summary: ImportSummary
  /** Whether the outcome of each row is known from the journal. */
  readonly hasWord: boolean
  readonly error: unknown
}

/** Plans the links of the rows, creates them unless `isPlanOnly`, and checks the links of an earlier result. */
async function runImport(prepared: PreparedImport, isPlanOnly: boolean): Promise<ImportEnd> {
  const { args, work, rows, todo, journal, origin } = prepared
  const { client, signal, progress } = work
  const { domain, campaign, channel } = args
  const done = rows.filter(isDone)
  let failed = 0
  const rowByValues = new Map(todo.map((row) => [row.values, row]))
  if (!journal && !isPlanOnly) console.error(NO_JOURNAL)
  const task = importLinks(
    client,
    todo.map(({ values }) => values),
    {
      // A plan takes no lock, so it can be made while an import runs.
      journal: isPlanOnly && journal ? { read: journal.read, write: journal.write } : journal,
      signal,
      dryRun: isPlanOnly,
      aliases: !args['no-aliases'],
      // A plan without an address takes the journal as it is.
      sameServer: args['same-server'] || (isPlanOnly && !hasBaseUrl(args)),
      onUnknown: args['retry-unknown'] ? 'retry' : 'report',
      onProgress: (state) => {
        failed = state.failed
        progress.show({ ...state, total: state.total === undefined ? undefined : rows.length })
      },
      onPlan: ({ replayed, toSend }) => {
        const counts = [
          pluralize(rows.length, 'link'),
          ...(replayed > 0 ? [`${formatCount(replayed)} done before`] : []),
          ...(done.length > 0 ? [`${formatCount(done.length)} to check`] : []),
        ]
        progress.say(`${counts.join(', ')}${describeTime(toSend, client)}`)
      },
      prepare: async (values) => {
        const named = values.map((row) => rowByValues.get(row)!)
        const connect = () => (isPlanOnly ? createClient(args) : client)
        await resolveNames(named, { domain, campaign, channel }, { origin, signal, client: connect })
        return named.map(({ values, problem }) =>
          problem === undefined ? values : new InvalidRequestError([{ path: [], message: problem }]),
        )
      },
    },
  )
  const howToContinue = () => {
    const doneCount = rows.filter(({ result }) => result?.outcome === 'done').length
    const counts = `stopped: ${formatCount(doneCount)} of ${pluralize(rows.length, 'link')} are done`
    if (!hasResult(rows)) return `${counts}. Run the same command to start again.`
    if (!journal) return `${counts}. To continue, import the result file.`
    return `${counts} and recorded in ${journal.path}. Run the same command to continue.`
  }
  let hasWord = todo.length === 0
  const recordResult = (result: ImportResult<Row['values']> | PlannedRow<Row['values']>) => {
    hasWord = true
    if (result.outcome === 'planned') return
    const row = todo[result.index]!
    row.result = toRowResult(result)
    if (!result.ok) row.problem ??= getErrorMessage(result.error)
  }
  const end = await runTask(work, task, recordResult, howToContinue, ({ row }) => hasIds(row))
  const summary = await task.summary()
  const error = end instanceof OtherServerError ? describeOtherServer(end, args, journal!) : nameColumn(end, prepared)
  if (end !== undefined) return { summary, hasWord, error: addAdvice(error, '--journal') }
  if (isPlanOnly || done.length === 0) return { summary, hasWord, error: undefined }
  const check = async () => {
    await resolveNames(done, { domain, campaign, channel }, { origin, signal, client: () => client })
    const onProgress = ({ done: checked, etaMs }: CheckProgress) =>
      progress.show({ done: todo.length - failed + checked, failed, total: rows.length, etaMs })
    await checkDone(client, done, { signal, onProgress })
  }
  const checkEnd = await work.run(check, howToContinue).then(
    () => undefined,
    (error) => error,
  )
  return { summary, hasWord, error: checkEnd }
}

/** Describes a journal of another server, with the commands that go on. */
function describeOtherServer(
  { finding, host, doneCount }: OtherServerError,
  args: ImportArgs,
  { path }: ImportJournal,
) {
  const name = basename(args.file === '-' ? path : args.file).replace(/\.[^.]*$/, '')
  const other = join(dirname(path), `${name}.${host.replaceAll(':', '-')}.journal`)
  const rows = pluralize(doneCount, 'row')
  return new UsageError(
    `${finding}. To create the links on this server: ${formatNext(args, { journal: other })}. ` +
      `If it is the same server, add --same-server: that creates nothing for the ${rows} recorded as done`,
  )
}

/** Names the column of the aliases, if there is one, and the command in the advice of an error. */
function nameColumn(error: unknown, { aliasColumn, args }: PreparedImport): unknown {
  if (!isOtherAliasError(error)) return error
  const map = aliasColumn === undefined ? [] : [`${aliasColumn}=`]
  const message = getErrorMessage(error).replace("--map 'custom='", `--map '${aliasColumn ?? 'custom'}='`)
  return new Error(`${message}. Then: ${formatNext(args, { 'no-aliases': true, map })}`)
}

/** @throws {UsageError} if rows have links already, according to the journal of another file */
async function throwIfDoneElsewhere(
  rows: readonly Row[],
  journal: ImportJournal,
  args: ImportArgs,
  client: Pick<Work['client'], 'baseUrl'>,
): Promise<void> {
  const options = { sendsAliases: !args['no-aliases'], baseUrl: hasBaseUrl(args) ? client.baseUrl : undefined }
  const values = rows.map(({ values }) => values)
  const found = await findDoneInOtherJournals(values, journal, options)
  if (!found) return
  const numbers = found.rows.map(({ row }) => (row as Row['values']).row)
  const shown = [...numbers.slice(0, 5), ...(numbers.length > 5 ? ['…'] : [])].join(', ')
  const goOn = formatNext(args, { journal: found.path })
  const again = formatNext(args, { journal: journal.path })
  throw new UsageError(
    `${pluralize(numbers.length, 'row')} of ${args.file} (${shown}) have links already, says ${found.path}. ` +
      `To go on with that import: ${goOn}. To create second links: ${again}`,
  )
}

/** The options of an import that the next run needs too. */
const keptNames = [
  'domain',
  'campaign',
  'channel',
  'journal',
  'out',
  'format',
  'base-url',
  'no-aliases',
  'allow-insecure-http',
]

/** Formats the command of the next run. */
const formatNext = (args: ImportArgs, changes: Partial<ImportArgs>) => formatCommand('import', args, changes, keptNames)

/** Returns whether any row has a link, or may have one. */
const hasResult = (rows: readonly Row[]): boolean =>
  rows.some(({ result }) => result?.outcome === 'done' || result?.outcome === 'unknown')

/** Returns whether a 404 may be about an id in the row, rather than about the address of the server. */
const hasIds = (row: LinkRow): boolean =>
  (['campaign', 'channel', 'domain', 'pixels', 'type'] as const).some((name) => row[name])

/** Prints what would be sent, and which rows are invalid. */
async function showPlan({ input, rows, todo, args }: PreparedImport, { error }: ImportEnd): Promise<void> {
  if (error !== undefined) throw error
  const planned = todo.filter(({ problem }) => problem === undefined)
  if (args.json) {
    for (const row of planned) row.result = { alias: row.result?.alias, outcome: 'planned' }
    await print(`${formatJson(createResultRows(input.columns, rows), 2)}\n`)
  }
  for (const line of [...describeFirst(planned), ...describeSimilarAliases(planned)]) console.error(toPrintable(line))
  const invalid = rows.flatMap((row) =>
    row.problem === undefined || isDone(row) ? [] : [{ ...row, problem: row.problem }],
  )
  for (const line of describeProblems(input.name, invalid)) console.error(toPrintable(line))
  if (invalid.length > 0) throw new Error(`${pluralize(invalid.length, 'row')} cannot be imported`)
}

/** Describes the first rows as they would be sent. */
const describeFirst = (rows: readonly Row[]): string[] =>
  rows.slice(0, 3).map(({ number, values }) => {
    const cells = Object.entries(values).flatMap(([name, value]) => {
      if (!parameterNames.includes(name) || formatCell(value) === '') return []
      return `${name}=${name === 'password' ? '(a password)' : formatCell(value)}`
    })
    return `row ${number}: ${cells.join(', ')}`
  })

/** Describes aliases that some servers treat as the same alias, such as those that ignore case. */
function describeSimilarAliases(rows: readonly Row[]): string[] {
  const firsts = new Map<string, Row>()
  return rows.flatMap((row) => {
    const { custom, domain } = row.values
    if (!custom) return []
    const key = `${domain ? getHost(domain) : ''}/${normalizeAlias(custom)}`
    const first = firsts.get(key)
    firsts.set(key, first ?? row)
    if (!first || first.values.custom === custom) return []
    return `rows ${first.number} and ${row.number}: ${first.values.custom} and ${custom} are the same alias on some servers`
  })
}

function toRowResult(result: ImportResult<Row['values']>): RowResult {
  const { alias, outcome, error } = result
  // In the result, `done` means that the row has its link.
  const shown = outcome === 'done' ? 'unknown' : outcome
  if (!result.ok) {
    const { stray } = result
    const columns = stray && { stray: stray.shorturl, strayId: stray.id }
    return { alias, outcome: shown, error: isNotStarted(error) ? NOT_TRIED : getErrorMessage(error), ...columns }
  }
  const { shorturl, created, differs, longurl } = result
  return { shorturl, alias, created, outcome, error: describeDifferences(differs, longurl) }
}

/** Writes the result and prints the counts. @throws {IncompleteError} if some rows are not done */
async function finishImport(prepared: PreparedImport, { summary, hasWord, error: end }: ImportEnd): Promise<void> {
  const { input, rows, journal, output, args } = prepared
  const { out } = args
  const { created, found, replayed } = summary
  if (end instanceof UsageError) throw end
  const outcomes = rows.map(({ result }) => result?.outcome)
  if (end !== undefined && !(hasWord && hasResult(rows))) throw end
  const conflict = await output.avoidOverwrite()
  await writeResult(prepared).catch((error) => {
    throw journal ? error : new Error(`${getErrorMessage(error.cause ?? error)}. ${LINKS_EXIST}`)
  })
  const notTried = rows.filter(({ result }) => result?.error === NOT_TRIED).length
  const failed = outcomes.filter((outcome) => outcome !== 'done').length - notTried
  const doneBefore = rows.length - failed - notTried - created - found
  if (doneBefore === rows.length && doneBefore > 0) {
    const again = replayed > 0 && journal ? `: delete ${journal.path} to import them again` : ''
    console.error(`${formatCount(doneBefore)} done before, nothing sent${again}`)
  } else console.error(formatCounts({ created, found, failed, notBegun: notTried, doneBefore }))
  const failures = rows.flatMap(({ number, result }) =>
    result?.error && result.outcome !== 'done' && result.error !== NOT_TRIED ? [{ number, problem: result.error }] : [],
  )
  const problems = describeProblems(input.name, failures)
  for (const line of problems.slice(0, MAX_PROBLEMS)) console.error(toPrintable(line))
  if (problems.length > MAX_PROBLEMS)
    console.error(`${formatCount(problems.length - MAX_PROBLEMS)} more problems are in the column error`)
  const differing = rows.filter(({ result }) => result?.outcome === 'done' && result.error).length
  if (differing > 0)
    console.error(
      `${pluralize(differing, 'link')} may differ from the row, see the column error. To change links, use sync`,
    )
  if (conflict) console.error(toPrintable(`${out} was ${conflict.change} meanwhile: the result is in ${conflict.file}`))
  if (end !== undefined) throw toIncompleteError(end)
  if (conflict) throw new IncompleteError(`${out} is not the result of this import`)
  if (failed > 0) {
    const again = 'To try again, run the same command.'
    throw new IncompleteError(`${pluralize(failed, 'row')} failed, see the columns outcome and error. ${again}`)
  }
}

function writeResult({ input, rows, output, args: { out = '' } }: PreparedImport): Promise<void> {
  const format = output.format ?? input.format
  if (format !== 'csv') return output.write(createResultRows(input.columns, rows), undefined, format)
  const delimiter = extname(out).toLowerCase() === '.tsv' ? '\t' : input.dialect.delimiter
  return output.writeWhole(formatResultTable(input, rows, output.show, delimiter))
}

const NO_JOURNAL =
  'No journal: after a crash, the same command would create the same links again. --journal FILE prevents that.'

/** How many problems are printed at the end of an import. All of them are in the result. */
const MAX_PROBLEMS = 20

/** The error of rows that were not sent because the import ended early. */
const NOT_TRIED = 'not tried yet'
