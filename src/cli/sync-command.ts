import { defineCommand } from 'citty'
import { itemsOf } from '../tasks/import.ts'
import { type SyncSummary, syncLinks } from '../tasks/sync.ts'
import { clientArgs } from './client.ts'
import { readLinks } from './columns.ts'
import { command, messageOf, UsageError } from './command.ts'
import { readInput } from './input.ts'
import { type OutputRow, outputArgs, outputOf } from './output.ts'
import { timeFor } from './progress.ts'
import { count, many } from './words.ts'
import { Work } from './work.ts'

/** `shortlink-sdk sync` */
export const sync = command(
  defineCommand({
    meta: { name: 'sync', description: 'Make aliases lead where a file says; without --apply, only print the plan' },
    args: {
      file: {
        type: 'positional',
        required: true,
        description: '.csv, .json or .ndjson with alias (or custom) and url',
      },
      apply: { type: 'boolean', description: 'carry out the plan' },
      prune: {
        type: 'string',
        valueHint: 'prefix',
        description: 'delete the links that are not in the file and whose alias begins with this',
      },
      'max-deletes': {
        type: 'string',
        valueHint: 'n',
        description: 'how many links --prune may delete, 10 by default',
      },
      ...outputArgs,
      ...clientArgs,
    },
    async run({ args }) {
      const { file, apply, prune, 'max-deletes': maxDeletes } = args
      if (prune?.trim() === '') throw new UsageError('--prune needs what the aliases begin with that it deletes')
      if (maxDeletes !== undefined && !/^\d+$/.test(maxDeletes)) {
        throw new UsageError(`--max-deletes takes a whole number, not '${maxDeletes}'`)
      }
      const output = await outputOf(args, { input: file })
      const work = new Work(args, 'changes')
      const { client } = work
      const input = await readInput(file)
      const { links } = readLinks(input, [], ['url', 'custom'])
      if (prune !== undefined && links.length === 0) {
        // Most likely the program that writes it has failed.
        throw new UsageError(
          `${file}: has no rows, so --prune would delete every link whose alias begins with ${prune}`,
        )
      }
      const wanted = links.map(({ row, values }) => ({ ...values, row: row.number }))
      let index = 0
      for await (const item of itemsOf(wanted)) {
        const {
          row,
          values,
          problem = item.problem === undefined ? undefined : messageOf(item.problem),
        } = links[index++]!
        const message = problem ?? (values.custom ? undefined : 'custom: is missing, expected an alias')
        if (message !== undefined) throw new UsageError(`${input.name}, row ${row.number}: ${message}`)
      }

      const steps: OutputRow[] = []
      let plan: SyncSummary | undefined
      const onPlan = (made: SyncSummary) => {
        plan = made
        const changes = made.create + made.update + made.delete
        const time = apply && changes > 0 ? timeFor(changes, client) : ''
        console.error(`${countsOf(made)}${time}`)
      }
      const main = async () => {
        const run = syncLinks(work.tasks, wanted, {
          signal: work.signal,
          onPlan,
          onProgress: work.progress.show,
          ...(apply && { apply }),
          ...(prune !== undefined && { prune }),
          ...(maxDeletes !== undefined && { maxDeletes: Number(maxDeletes) }),
        })
        for await (const { action, alias, domain, was, url, clicks, outcome, error } of run) {
          work.check(error)
          const problem = error === undefined ? {} : { error: (error as Error).message }
          steps.push({ action, alias, domain, was, url, clicks, outcome, ...problem })
        }
      }
      await work.run(main, () => 'stopped: what is done stays done. The same command does the rest.')
      // On a terminal, what stays as it is would hide what does not.
      await output.write(output.format === 'table' ? steps.filter(({ action }) => action !== 'keep') : steps)
      const failed = steps.filter(({ error }) => error !== undefined).length
      if (failed > 0)
        throw new Error(`${many(failed, 'change')} failed, see error. To try again, run the same command.`)
      const changes = plan ? plan.total - plan.keep : 0
      if (changes === 0) console.error('Nothing to do.')
      else
        console.error(
          apply ? `${many(changes, 'change')} done.` : 'Nothing was changed: --apply carries out this plan.',
        )
    },
  }),
  1,
)

const countsOf = (plan: SyncSummary) =>
  `${count(plan.create)} to create, ${count(plan.update)} to update, ${count(plan.keep)} to keep, ${count(plan.delete)} to delete`
