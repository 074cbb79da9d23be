import { isShortLinkError } from 'shortlink-sdk'
import { toPrintable } from '../../../../src/client/runtime/text.ts'
import { type SyncResult, type SyncSummary, syncLinks } from '../../tasks/sync.ts'
import { clientArgs, createClient } from '../client.ts'
import {
  defineCommand,
  getErrorMessage,
  IncompleteError,
  parseWholeNumber,
  toIncompleteError,
  UsageError,
} from '../command.ts'
import { formatCount, pluralize } from '../counts-and-times.ts'
import { checkRows, readLinks, setAlias } from '../files/columns.ts'
import { readInput } from '../files/input.ts'
import { describeProblems } from '../files/row-problems.ts'
import { formatCommand } from '../format-command.ts'
import { createOutput, type OutputRow, tableArgs } from '../output.ts'
import { describeTime } from '../progress.ts'
import { resolveNames, setDefaults } from '../resolve-names.ts'
import { isNotStarted } from '../run-task.ts'
import { Work } from '../work.ts'

const syncNotes = `Each row of the file has an alias and a url, and optionally title, description, campaign, channel and other parameters of a link.
Parameters that the list of links shows are compared. The others are only sent with creations and updates.

Each difference in an address, title or description is a change. After an update, the link is read again: the column differs names what the
server stores in another form. --accept-stored keeps such values: cut after 60 characters or more, in lower case, without the last slash,
fragment, tags or emoji, with other entities, and any title where the file has an empty one.

Some servers clear what an update leaves out. So each update also sends what the server shows of the link: its expiry, targets, domain, title,
description, campaign and channel. No server shows passwords, pixels, types or targets by language. If the file has no column password,
--apply updates links only with --may-clear.

In CI: sync links.csv --check exits with 3 if the links differ from the file, and sync links.csv --apply makes them the same.

Exit status: 0: done, also for a plan with changes; 1: something failed, or its outcome is unknown; 2: wrong usage; 3: --check found
differences; 130: stopped by Ctrl+C
`

export default defineCommand(
  {
    meta: {
      name: 'sync',
      description: 'Make links match a file; without --apply, only print the plan',
      examples: ['shortlink sync links.csv', 'shortlink sync links.csv --apply'],
    },
    args: {
      file: {
        type: 'positional',
        required: true,
        description: '.csv, .tsv, .txt, .json or .ndjson with alias and url; - for standard input',
      },
      apply: { type: 'boolean', description: 'apply the plan' },
      check: { type: 'boolean', description: 'exit with 3 if there is anything to change' },
      map: {
        type: 'string',
        multiple: true,
        valueHint: 'column=parameter',
        description: 'the parameter of a column, such as "Vanity=custom"; "Notes=" ignores it; may be repeated',
      },
      prune: {
        type: 'string',
        valueHint: 'prefix',
        description: 'delete links that are not in the file and whose alias starts with this prefix',
      },
      'max-deletes': {
        type: 'string',
        valueHint: 'n',
        description: 'delete nothing if the plan deletes more than n links; default: 10',
      },
      'may-clear': {
        type: 'boolean',
        description: 'update links even if that may clear passwords, pixels, types and targets by language',
      },
      'accept-stored': {
        type: 'boolean',
        description: 'keep values that the server stores cut, in lower case or with another spelling',
      },
      ...tableArgs,
      ...clientArgs,
    },
    async run({ args }) {
      const { file, apply = false, check = false, prune, 'max-deletes': maxDeletes, map } = args
      const { 'may-clear': mayClear = false, 'accept-stored': acceptStored = false } = args
      if (apply && check) throw new UsageError('--check changes nothing: leave out --apply')
      if (prune?.trim() === '') throw new UsageError('--prune needs the prefix of the aliases that it may delete')
      if (maxDeletes !== undefined && prune === undefined) throw new UsageError('--max-deletes requires --prune')
      const max = maxDeletes === undefined ? undefined : parseWholeNumber('max-deletes', maxDeletes, 0, 1e9)
      const output = await createOutput(args, { input: file, own: ownColumns })
      const input = await readInput(file)
      const { rows, origin } = readLinks(input, map ?? [], ['url', 'custom'], (maps) =>
        formatCommand('sync', args, { map: maps }),
      )
      if (prune !== undefined && rows.length === 0) {
        // The program that writes the file has most likely failed.
        throw new UsageError(
          `${input.name} has no rows, so --prune would delete every link whose alias starts with ${prune}`,
        )
      }
      const work = new Work(createClient(args), 'links')
      for (const row of rows) {
        setAlias(row, row.result?.alias)
        if (!row.values.custom) row.problem ??= NO_ALIAS
      }
      setDefaults(rows, {})
      await resolveNames(rows, {}, { client: () => work.client, origin, signal: work.signal })
      checkRows(rows, work.client)
      const invalid = rows.flatMap(({ number, problem }) => (problem === undefined ? [] : [{ number, problem }]))
      if (invalid.length > 0) throw new UsageError(...describeProblems(input.name, invalid))

      const steps: SyncResult[] = []
      let isPlanned = false
      const run = syncLinks(
        work.client,
        rows.map(({ values: { cells: _, ...values } }) => values),
        {
          apply,
          mayClear,
          acceptStored,
          signal: work.signal,
          onProgress: work.progress.showList,
          onPlan: (plan) => {
            isPlanned = true
            const requests = plan.create + UPDATE_REQUESTS * plan.update + plan.delete
            const time = apply ? describeTime(requests, work.client) : ''
            work.progress.say(`${describePlan(plan)}${time}`)
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
        .run(main, () =>
          apply && isPlanned
            ? 'stopped: finished changes are kept. To continue, run the same command.'
            : 'stopped: nothing was changed. Run the same command to start again.',
        )
        .then(
          () => undefined,
          (error) => error,
        )
      const summary = await run.summary()
      if (end !== undefined && (!isPlanned || summary.refused)) throwRefused(end, input.name)
      const shown = steps.filter(({ action, differs }) => action !== 'keep' || differs.length > 0)
      await output.write(shown.map(toRow))
      printTotals(steps, summary, { apply, check, acceptStored, end })
    },
  },
  1,
  syncNotes,
)

/** The number of requests of an update, which reads the link before and after. */
const UPDATE_REQUESTS = 3

const NO_ALIAS = 'custom: is missing, expected an alias'

function describePlan({ create, update, keep, keptAsStored, delete: deletions }: SyncSummary): string {
  const stored = keptAsStored > 0 ? `. ${formatCount(keptAsStored)} kept as the server stores them` : ''
  return `${formatCount(create)} to create, ${formatCount(update)} to update, ${formatCount(keep)} to keep, ${formatCount(deletions)} to delete${stored}`
}

const ownColumns = {
  always: ['action', 'alias', 'domain', 'was', 'url', 'changes', 'clicks', 'outcome', 'error'],
  sometimes: ['differs'],
}

function toRow({ action, alias, domain, was, url, changes, differs, clicks, outcome, error }: SyncResult): OutputRow {
  return {
    action,
    alias,
    domain,
    was,
    url,
    changes: changes.join(', '),
    // Few servers store values in another form, so the column is added only if needed.
    ...(differs.length > 0 && { differs: differs.join(', ') }),
    clicks,
    // In a plan, `done` means that the link already matches the file.
    outcome: error && outcome === 'done' ? 'unknown' : outcome,
    error: error && (isNotStarted(error) ? 'not tried yet' : getErrorMessage(error)),
  }
}

/** Prints the totals. @throws {IncompleteError} if a change failed, or `--check` found one */
function printTotals(
  steps: readonly SyncResult[],
  plan: SyncSummary,
  { apply, check, acceptStored, end }: { apply: boolean; check: boolean; acceptStored: boolean; end: unknown },
): void {
  const deletions = steps.filter(({ action }) => action === 'delete')
  const clicks = deletions.reduce((sum, step) => sum + (step.clicks ?? 0), 0)
  const isKept = deletions.some(({ outcome }) => outcome === 'planned') || end !== undefined
  if (clicks > 0 && !(apply && isKept))
    console.error(`${pluralize(clicks, 'click')} of the deleted links ${apply ? 'are gone' : 'would be gone'}.`)
  if (plan.notCompared.length > 0) {
    console.error(`Not in the list of links, so not compared: ${plan.notCompared.join(', ')}.`)
  }
  for (const line of describeDiffering(steps, acceptStored)) console.error(toPrintable(line))
  const { total, keep, done, created, updated, deleted, mayBeCleared, refused } = plan
  if (refused?.issues.some(({ path }) => path[0] === 'maxDeletes')) throwRefused(refused)
  if (!apply && mayBeCleared.length > 0) {
    console.error(
      `An update may clear values that no response shows: ${mayBeCleared.join(', ')}.${refused ? ADVICE : ''}`,
    )
  }
  const changes = total - keep
  const option = refused ? '--apply --may-clear' : '--apply'
  const failed = steps.filter(({ ok, error }) => !ok && !isNotStarted(error)).length
  if (changes === 0) console.error('Nothing to do.')
  else if (!apply && check)
    throw new IncompleteError(
      `${pluralize(changes, 'change')} needed. To make ${changes === 1 ? 'it' : 'them'}, add ${option}.`,
      DRIFT,
    )
  else if (!apply)
    console.error(`Nothing was changed. To make ${changes === 1 ? 'the change' : 'the changes'}, add ${option}.`)
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
  if (end !== undefined) throw toIncompleteError(end)
  if (failed > 0) {
    const left = apply && deletions.length > 0 && deleted === 0 ? ' Nothing was deleted.' : ''
    throw new IncompleteError(
      `${pluralize(failed, 'change')} failed, see the column error.${left} To try again, run the same command.`,
    )
  }
}

const ADVICE = ' If the links have passwords, add a column password.'

/** How many links whose values the server stores in another form are named, at most. */
const MAX_DIFFERING = 5

const STORED_ADVICE =
  ' To keep values that are only cut, in lower case, or without their last slash, fragment, tags or emoji, use --accept-stored.'

function describeDiffering(steps: readonly SyncResult[], acceptStored: boolean): string[] {
  const respelled = steps.flatMap(({ alias, spelling }) => (spelling === undefined ? [] : [`${alias} as ${spelling}`]))
  const stored = steps.flatMap(({ alias, action, differs }) => {
    const names = differs.filter((name) => name !== 'custom')
    return names.length > 0 ? [{ action, text: `${alias} (${names.join(', ')})` }] : []
  })
  const again = stored.some(({ action }) => action === 'update') ? ' Each sync sends them again.' : ''
  const advice = again && !acceptStored ? `${again}${STORED_ADVICE}` : again
  return [
    ...(respelled.length > 0
      ? [`The server spells these aliases differently. In the file, write ${listFirst(respelled)}.`]
      : []),
    ...(stored.length > 0
      ? [
          `The server stores these values in another form than the file: ${listFirst(stored.map(({ text }) => text))}.${advice}`,
        ]
      : []),
  ]
}

function listFirst(texts: readonly string[]): string {
  const more = texts.length > MAX_DIFFERING ? `, and ${formatCount(texts.length - MAX_DIFFERING)} more` : ''
  return `${texts.slice(0, MAX_DIFFERING).join(', ')}${more}`
}

/** Throws the error of a refused plan, with the command's options instead of the function's. */
function throwRefused(error: unknown, file = ''): never {
  if (!isShortLinkError(error) || error.code !== 'invalid_request') throw error
  const rows = error.issues.filter(({ path }) => String(path[0]).startsWith('row '))
  if (rows.length > 0) {
    const problems = rows.map(({ path: [row, ...path], message }) => ({
      number: Number(String(row).slice('row '.length)),
      problem: `${path.join('.')}: ${message}`,
    }))
    throw new UsageError(...describeProblems(file, problems))
  }
  const options: Readonly<Record<string, string>> = { maxDeletes: '--max-deletes', mayClear: '--may-clear' }
  const lines = error.issues.flatMap(({ path: [name = ''], message }) => {
    const option = options[name]
    return option ? [`${option}: ${message}.${name === 'mayClear' ? `${ADVICE} If not, use --may-clear.` : ''}`] : []
  })
  throw lines.length > 0 ? new UsageError(`${lines.join(' ')} Nothing was changed`) : error
}

/** The exit status if `--check` finds differences. */
const DRIFT = 3
