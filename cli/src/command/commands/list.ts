import { similarName } from '../../../../src/client/checks/checks.ts'
import { describe } from '../../../../src/client/errors.ts'
import { Campaign } from '../../../../src/client/resources/campaigns.ts'
import { Channel } from '../../../../src/client/resources/channels.ts'
import { Domain } from '../../../../src/client/resources/domains.ts'
import { PlatformFile } from '../../../../src/client/resources/files.ts'
import { Link } from '../../../../src/client/resources/links/link.ts'
import { Overlay } from '../../../../src/client/resources/overlays.ts'
import { Pixel } from '../../../../src/client/resources/pixels.ts'
import { QrCode } from '../../../../src/client/resources/qr.ts'
import { Splash } from '../../../../src/client/resources/splash.ts'
import { isRecord } from '../../../../src/client/runtime/text.ts'
import { startStopwatch } from '../../tasks/task.ts'
import { clientArgs } from '../client.ts'
import { command, IncompleteError, UsageError, wholeNumberOption } from '../command.ts'
import { type OutputRow, outputArgs, outputOf } from '../output.ts'
import { Work } from '../work.ts'

/** The lists, with the schemas of their rows. */
const schemas = {
  links: Link,
  campaigns: Campaign,
  channels: Channel,
  domains: Domain,
  files: PlatformFile,
  overlays: Overlay,
  pixels: Pixel,
  qr: QrCode,
  splash: Splash,
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
      const columns = resource === 'links' ? linkColumns : undefined
      // CSV of no row has a header.
      const documented = Object.keys(schemas[resource as ListedResource].shape)
      let lacking: string[] = []
      await work.run(
        async () => {
          lacking = await output.writePages(read(work, resource as ListedResource, max), documented, columns)
        },
        () => 'stopped: this is not the whole list.',
      )
      if (problems.length > 0)
        throw new IncompleteError(`not as documented, and printed as it came: ${problems.join('; ')}`)
      if (lacking.length > 0) {
        const missing = `columns that the first rows do not have were left out: ${lacking.join(', ')}`
        throw new IncompleteError(`${missing}. --format ndjson has them`)
      }
    },
  },
  1,
)

/** Reads a list, page by page, until it has so many rows. */
async function* read(
  { client, progress, signal }: Work,
  resource: ListedResource,
  max: number,
): AsyncGenerator<OutputRow[]> {
  const elapsedMs = startStopwatch()
  let done = 0
  for await (const { items, result } of client[resource].list({}, { signal }).pages()) {
    const rows = items.slice(0, max - done).map((row: unknown) => (isRecord(row) ? row : { row }))
    done += rows.length
    progress.clear()
    yield rows
    if (done >= max || rows.length === 0) break
    const total = result === undefined ? undefined : Math.min(result, max)
    const etaMs = total === undefined ? undefined : (elapsedMs() / done) * (total - done)
    progress.showList({ done, failed: 0, total, etaMs }, items.length)
  }
}
