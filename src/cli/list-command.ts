import { defineCommand } from 'citty'
import { similarName } from '../checks/checks.ts'
import { clientArgs } from './client.ts'
import { command, UsageError, wholeNumberOption } from './command.ts'
import { Work } from './interruptible-work.ts'
import { type OutputRow, outputArgs, outputOf } from './output.ts'

const resources = ['links', 'campaigns', 'channels', 'domains', 'files', 'overlays', 'pixels', 'qr', 'splash'] as const
type Resource = (typeof resources)[number]

/** `shortlink-sdk list` */
export default command(
  defineCommand({
    meta: { name: 'list', description: 'List what the account has' },
    args: {
      resource: { type: 'positional', required: true, description: resources.join(', ') },
      limit: { type: 'string', valueHint: 'n', description: 'the first n rows only' },
      ...outputArgs,
      ...clientArgs,
    },
    async run({ args }) {
      const { resource, limit } = args
      if (!resources.includes(resource as Resource)) {
        const meant = similarName(resource, resources)
        const advice = meant ? `did you mean ${meant}?` : `but of ${resources.join(', ')}`
        throw new UsageError(`there is no list of '${resource}', ${advice}`)
      }
      const max = limit === undefined ? Infinity : wholeNumberOption('limit', limit, 1, 1e9)
      const output = await outputOf(args)
      const work = new Work(args, 'rows')
      const rows: OutputRow[] = []
      await work.run(
        () => read(work, resource as Resource, max, rows),
        () => 'stopped, and nothing was written.',
      )
      await output.write(
        rows.slice(0, max),
        resource === 'links' ? ['id', 'shorturl', 'title', 'longurl', 'clicks', 'date'] : undefined,
      )
    },
  }),
  1,
)

/** Reads a list until it has so many rows. */
async function read({ client, progress, signal }: Work, resource: Resource, max: number, rows: OutputRow[]) {
  const startedAt = performance.now()
  for await (const { items, result } of client[resource].list({}, { signal }).pages()) {
    rows.push(...(items as unknown as OutputRow[]))
    if (rows.length >= max || rows.length === 0) break
    const total = Math.min(result, max)
    const etaMs = ((performance.now() - startedAt) / rows.length) * (total - rows.length)
    progress.showList({ done: rows.length, failed: 0, total, etaMs }, items.length)
  }
}
