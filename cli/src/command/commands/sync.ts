import { isShortLinkError } from 'shortlink-sdk'
import { type SyncResult, type SyncSummary, syncLinks } from '../../tasks/sync.ts'
import { printable } from '../../text.ts'
import { clientArgs, clientOf } from '../client.ts'
import { asIncomplete, command, errorMessage, IncompleteError, parseWholeNumber, UsageError } from '../command.ts'
import { formatCount, many } from '../counts-and-times.ts'
import { checkRows, readLinks, setAlias } from '../files/columns.ts'
import { readInput } from '../files/input.ts'
import { type OutputRow, outputArgs, outputOf } from '../output.ts'
import { timeFor } from '../progress.ts'
import { resolveNames, setDefaults } from '../resolve-names.ts'
import { isNotBegun } from '../run-task.ts'
import { Work } from '../work.ts'

const syncNotes = `The file has an alias and a url in each row, and, if wanted, title, description, campaign, channel and the other parameters of a link.
What the list of links shows is compared; the rest is sent with creations and updates.

In CI: sync links.csv --check ends with 3 if the links differ from the file, and sync links.csv --apply makes them the same.

Exit status: 0 done, a plan with changes too; 1 something failed; 2 wrong usage; 3 --check would change something; 130 after Ctrl+C
`

/** `shortlink sync` */
export default command(
  {
    meta: { name: 'sync', description: 'Make aliases lead where a file says; without --apply, only print the plan' },
    args: {
      file: {
        type: 'positional',
        required: true,
        description: '.csv, .tsv, .txt, .json or .ndjson with alias and url; - for standard input',
      },
      apply: { type: 'boolean', description: 'carry out the plan' },
      check: { type: 'boolean', description: 'exit with 3 if there is anything to change' },
      map: {
        type: 'string',
        multiple: true,
        valueHint: 'column=parameter',
        description: 'what a column is, such as "Vanity=custom"; "Notes=" for nothing; may be repeated',
      },
      prune: {
        type: 'string',
        valueHint: 'prefix',
        description: 'delete the links that are not in the file and whose alias starts with this prefix',
      },
      'max-deletes': {
        type: 'string',
        valueHint: 'n',
        description: 'delete at most n links, or nothing at all; default 10',
      },
      ...outputArgs,
      ...clientArgs,
    },
    async run({ args }) {
      const { file, apply = false, check = false, prune, 'max-deletes': maxDeletes, map } = args
      if (apply && check) throw new UsageError('--check changes nothing: leave out --apply')
      if (prune?.trim() === '') throw new UsageError('--prune takes the prefix of the aliases that it may delete')
      if (maxDeletes !== undefined && prune === undefined) throw new UsageError('--max-deletes is for --prune')
      const max = maxDeletes === undefined ? undefined : parseWholeNumber('max-deletes', maxDeletes, 0, 1e9)
      const output = await outputOf(args, { input: file })
      const input = await readInput(file)
      const { rows, origin } = readLinks(input, map ?? [], ['url', 'custom'])
      if (prune !== undefined && rows.length === 0) {
        // Most likely the program that writes it has failed.
        throw new UsageError(
          `${input.name}: has no rows, so --prune would delete every link whose alias starts with ${prune}`,
        )
      }
      const work = new Work(clientOf(args), 'links')
      for (const row of rows) {
        setAlias(row, row.result?.alias)
        if (!row.values.custom) row.problem ??= NO_ALIAS
      }
      setDefaults(rows, {})
      await resolveNames(rows, {}, { client: () => work.client, origin, signal: work.signal })
      checkRows(rows, work.client)
      const invalid = rows.filter(({ problem }) => problem !== undefined)
      for (const { number, problem } of invalid.slice(0, -1)) {
        console.error(printable(`${input.name}, row ${number}: ${problem}`))
      }
      const last = invalid.at(-1)
      if (last) throw new UsageError(`${input.name}, row ${last.number}: ${last.problem}`)

      const steps: SyncResult[] = []
      let isPlanned = false
      const run = syncLinks(
        work.client,
        rows.map(({ values: { cells: _, ...values } }) => values),
        {
          apply,
          signal: work.signal,
          onProgress: work.progress.showList,
          onPlan: (made) => {
            isPlanned = true
            const time = apply ? timeFor(made.total - made.keep, work.client) : ''
            work.progress.say(`${describePlan(made)}${time}`)
          },
          ...(prune !== undefined && { prune }),
          ...(max !== undefined && { maxDeletes: max }),
        },
      )
      const main = async () => {
        for await (const step of run) {
          work.check(step.error)
          steps.push(step)
        }
      }
      const end: unknown = await work
        .run(main, () => 'stopped: what is done stays done. The same command does the rest.')
        .then(
          () => undefined,
          (error) => error,
        )
      const summary = await run.summary()
      if (end !== undefined && (!isPlanned || summary.refused)) throwRefused(end)
      const shown = steps.filter(({ action }) => action !== 'keep')
      await output.write(shown.map(stepRow))
      sayEnd(steps, summary, { apply, check, end })
    },
  },
  1,
  syncNotes,
)

const NO_ALIAS = 'custom: is missing, expected an alias'

function describePlan({ create, update, keep, delete: deletions }: SyncSummary): string {
  return `${formatCount(create)} to create, ${formatCount(update)} to update, ${formatCount(keep)} to keep, ${formatCount(deletions)} to delete`
}

function stepRow({ action, alias, domain, was, url, changes, clicks, outcome, error }: SyncResult): OutputRow {
  return {
    action,
    alias,
    domain,
    was,
    url,
    changes: changes.join(', '),
    clicks,
    outcome,
    error: error && (isNotBegun(error) ? 'not tried yet' : errorMessage(error)),
  }
}

/** Prints the last lines. @throws {IncompleteError} if a change was not made, or `--check` has found one */
function sayEnd(
  steps: readonly SyncResult[],
  plan: SyncSummary,
  { apply, check, end }: { apply: boolean; check: boolean; end: unknown },
): void {
  const deletions = steps.filter(({ action }) => action === 'delete')
  const clicks = deletions.reduce((sum, step) => sum + (step.clicks ?? 0), 0)
  const isKept = deletions.some(({ outcome }) => outcome === 'planned') || end !== undefined
  if (clicks > 0 && !(apply && isKept))
    console.error(`${many(clicks, 'click')} of the deleted links ${apply ? 'are gone' : 'would be gone'}.`)
  if (plan.notCompared.length > 0) {
    console.error(`Not compared, because the list of links does not show it: ${plan.notCompared.join(', ')}.`)
  }
  const { total, keep, done, created, updated, deleted, refused } = plan
  if (refused) throwRefused(refused)
  const changes = total - keep
  const failed = steps.filter(({ ok, error }) => !ok && !isNotBegun(error)).length
  if (changes === 0) console.error('Nothing to do.')
  else if (!apply && check)
    throw new IncompleteError(`${many(changes, 'change')} to make: --apply carries out this plan`, DRIFT)
  else if (!apply) console.error('Nothing was changed: --apply carries out this plan.')
  else {
    const counts = [
      `${formatCount(created)} created`,
      `${formatCount(updated)} updated`,
      `${formatCount(deleted)} deleted`,
      ...(failed > 0 ? [`${formatCount(failed)} failed`] : []),
      ...(total > done + failed ? [`${formatCount(total - done - failed)} not tried yet`] : []),
    ]
    console.error(counts.join(', '))
  }
  if (end !== undefined) throw asIncomplete(end)
  if (failed > 0) {
    const left = apply && deletions.length > 0 && deleted === 0 ? ' Nothing was deleted.' : ''
    throw new IncompleteError(`${many(failed, 'change')} failed, see error.${left} To try again, run the same command.`)
  }
}

/** Says of a plan that deletes too many links which option allows it. */
function throwRefused(error: unknown): never {
  const [issue] = isShortLinkError(error) && error.code === 'invalid_request' ? error.issues : []
  throw issue?.path[0] === 'maxDeletes' ? new UsageError(`--max-deletes: ${issue.message}`) : error
}

/** The exit status of `--check` if the links differ from the file. */
const DRIFT = 3
