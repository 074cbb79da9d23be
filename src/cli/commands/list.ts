import { similarName } from '../../client/checks/checks.ts'
import { describe } from '../../client/errors.ts'
import { campaign } from '../../client/resources/campaigns.ts'
import { channel } from '../../client/resources/channels.ts'
import { domain } from '../../client/resources/domains.ts'
import { platformFile } from '../../client/resources/files.ts'
import { link } from '../../client/resources/links/link.ts'
import { overlay } from '../../client/resources/overlays.ts'
import { pixel } from '../../client/resources/pixels.ts'
import { qrCode } from '../../client/resources/qr.ts'
import { splash } from '../../client/resources/splash.ts'
import { isRecord } from '../../client/runtime/text.ts'
import { clientArgs } from '../client.ts'
import { command, IncompleteError, UsageError, wholeNumberOption } from '../command.ts'
import { outputArgs, outputOf } from '../output.ts'
import { Work } from '../work.ts'

/** The lists, with the schemas of their rows. */
const schemas = {
  links: link,
  campaigns: campaign,
  channels: channel,
  domains: domain,
  files: platformFile,
  overlays: overlay,
  pixels: pixel,
  qr: qrCode,
  splash,
}
type ListedResource = keyof typeof schemas
const resources = Object.keys(schemas) as ListedResource[]

/** The columns of a table of links, which have more. */
const linkColumns = ['id', 'shorturl', 'title', 'longurl', 'clicks', 'date']

/** `shortlink-sdk list` */
export default command(
  {
    meta: { name: 'list', description: 'List what the account has' },
    args: {
      resource: { type: 'positional', required: true, description: resources.join(', ') },
      limit: { type: 'string', valueHint: 'n', description: 'the first n rows only' },
      ...outputArgs,
      ...clientArgs,
    },
    async run({ args }) {
      const { resource, limit } = args
      if (!resources.includes(resource as ListedResource)) {
        const meant = similarName(resource, resources)
        const advice = meant ? `did you mean ${meant}?` : `but of ${resources.join(', ')}`
        throw new UsageError(`there is no list of '${resource}', ${advice}`)
      }
      const max = limit === undefined ? Infinity : wholeNumberOption('limit', limit, 1, 1e9)
      const output = await outputOf(args)
      const problems: string[] = []
      // A row that does not fit is one row: it is printed as it came.
      const work = new Work(args, 'rows', {
        validation: 'report',
        onDrift: ({ issues }) => problems.push(describe(issues)),
      })
      const rows: unknown[] = []
      await work.run(
        () => read(work, resource as ListedResource, max, rows),
        () => 'stopped, and nothing was written.',
      )
      const columns = resource === 'links' ? linkColumns : undefined
      // CSV of no row has a header.
      const { fields } = schemas[resource as ListedResource]
      const records = rows.slice(0, max).map((row) => (isRecord(row) ? row : { row }))
      await output.write(records, rows.length > 0 ? columns : Object.keys(fields))
      if (problems.length > 0)
        throw new IncompleteError(`not as documented, and printed as it came: ${problems.join('; ')}`)
    },
  },
  1,
)

/** Reads a list until it has so many rows. */
async function read({ client, progress, signal }: Work, resource: ListedResource, max: number, rows: unknown[]) {
  const startedAt = performance.now()
  for await (const { items, result } of client[resource].list({}, { signal }).pages()) {
    rows.push(...items)
    if (rows.length >= max || rows.length === 0) break
    const total = Math.min(result, max)
    const etaMs = ((performance.now() - startedAt) / rows.length) * (total - rows.length)
    progress.showList({ done: rows.length, failed: 0, total, etaMs }, items.length)
  }
}
