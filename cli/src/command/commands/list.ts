import { Campaign, Channel, Domain, Link, Overlay, Pixel, PlatformFile, QrCode, Splash } from 'shortlink-sdk/schemas'
import { startStopwatch } from '../../tasks/task.ts'
import { describeIssues, isRecord, similarName } from '../../text.ts'
import { clientArgs, clientOf, type ListName, lists } from '../client.ts'
import { command, IncompleteError, parseWholeNumber, UsageError } from '../command.ts'
import { type OutputRow, outputArgs, outputOf } from '../output.ts'
import { Work } from '../work.ts'

/** The schemas of the rows of each list, whose columns CSV has in any case. */
const schemas: Record<ListName, { readonly shape: object }> = {
  domains: Domain,
  overlays: Overlay,
  campaigns: Campaign,
  channels: Channel,
  splash: Splash,
  files: PlatformFile,
  pixels: Pixel,
  qr: QrCode,
  links: Link,
}

/** The columns of a table of links, which have more. */
const linkColumns = ['id', 'shorturl', 'title', 'longurl', 'clicks', 'date']

/** `shortlink list` */
export default command(
  {
    meta: { name: 'list', description: 'List what the account has' },
    args: {
      resource: { type: 'positional', required: true, description: lists.join(', ') },
      limit: { type: 'string', valueHint: 'n', description: 'the first n rows only' },
      ...outputArgs,
      ...clientArgs,
    },
    async run({ args }) {
      const { resource, limit } = args
      const list = lists.find((name) => name === resource)
      if (!list) {
        const meant = similarName(resource, lists)
        const advice = meant ? `did you mean ${meant}?` : `but of ${lists.join(', ')}`
        throw new UsageError(`there is no list of '${resource}', ${advice}`)
      }
      const max = limit === undefined ? Infinity : parseWholeNumber('limit', limit, 1, 1e9)
      const output = await outputOf(args)
      const problems: string[] = []
      // A row that does not fit is one row: it is printed as it came.
      const client = clientOf(args, {
        validation: 'report',
        onDrift: ({ issues }) => problems.push(describeIssues(issues)),
      })
      const work = new Work(client, 'rows')
      const columns = list === 'links' ? linkColumns : undefined
      // CSV of no row has a header.
      const documented = Object.keys(schemas[list].shape)
      let lacking: string[] = []
      await work.run(
        async () => {
          lacking = await output.writePages(read(work, list, max), documented, work.signal, columns)
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

/** Reads the first `max` rows of a list, page by page. */
async function* read({ client, progress, signal }: Work, list: ListName, max: number): AsyncGenerator<OutputRow[]> {
  const elapsedMs = startStopwatch()
  let done = 0
  for await (const { items, result } of client[list].list({}, { signal }).pages()) {
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
