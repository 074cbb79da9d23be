import { defineCommand } from 'citty'
import type { ShortLinkClient } from '../client.ts'
import { similarName } from '../schema/checks.ts'
import { clientArgs, clientOf } from './client.ts'
import { command, numberOption, UsageError } from './command.ts'
import { type OutputRow, outputArgs, outputOf } from './output.ts'
import { Progress } from './progress.ts'

const resources = ['links', 'campaigns', 'channels', 'domains', 'files', 'overlays', 'pixels', 'qr', 'splash'] as const
type Resource = (typeof resources)[number]

/** `shortlink-sdk list` */
export const list = command(
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
      const most = limit === undefined ? Infinity : numberOption('limit', limit, 1, 1e9)
      const output = await outputOf(args)
      const rows = await read(clientOf(args), resource as Resource, most)
      await output.write(rows, resource === 'links' ? ['id', 'shorturl', 'longurl', 'clicks', 'date'] : undefined)
    },
  }),
  1,
)

async function read(client: ShortLinkClient, resource: Resource, most: number): Promise<OutputRow[]> {
  const progress = new Progress('rows', () => client.rateLimit)
  progress.begin()
  const beganAt = performance.now()
  const rows: OutputRow[] = []
  try {
    for await (const { items, result } of client[resource].list({ limit: Math.min(most, 100) }).pages()) {
      rows.push(...(items as unknown as OutputRow[]))
      if (rows.length >= most) break
      const total = Math.min(result, most)
      const elapsedMs = performance.now() - beganAt
      const etaMs = (elapsedMs / rows.length) * (total - rows.length)
      if (rows.length < total) progress.show({ done: rows.length, failed: 0, total, elapsedMs, etaMs })
    }
  } finally {
    progress.end()
  }
  return rows.slice(0, most)
}
