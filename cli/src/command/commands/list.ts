import { Campaign, Channel, Domain, Link, Overlay, Pixel, PlatformFile, QrCode, Splash } from 'shortlink-sdk/schemas'
import { findSimilarName } from '../../../../src/client/runtime/similar-name.ts'
import { isRecord } from '../../../../src/client/runtime/text.ts'
import { startStopwatch } from '../../tasks/task.ts'
import { describeIssues } from '../../text.ts'
import { clientArgs, createClient, type ListName, lists } from '../client.ts'
import { defineCommand, IncompleteError, parseWholeNumber, UsageError } from '../command.ts'
import { createOutput, type OutputRow, tableArgs } from '../output.ts'
import { Work } from '../work.ts'

/** The schema of each list's rows. CSV always has its columns. */
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

/** The columns of a table of links. The other columns would not fit a terminal. */
const linkColumns = ['id', 'shorturl', 'title', 'longurl', 'clicks', 'date']

export default defineCommand(
  {
    meta: {
      name: 'list',
      description: 'List links, campaigns or other resources of the account',
      examples: ['shortlink list links --out all-links.csv', 'shortlink list campaigns --json'],
    },
    args: {
      resource: { type: 'positional', required: true, description: lists.join(', ') },
      limit: { type: 'string', valueHint: 'n', description: 'print only the first n rows' },
      ...tableArgs,
      ...clientArgs,
    },
    async run({ args }) {
      const { resource, limit } = args
      const list = lists.find((name) => name === resource)
      if (!list) {
        const meant = findSimilarName(resource, lists)
        const advice = meant ? `did you mean ${meant}?` : `expected ${lists.join(', ')}`
        throw new UsageError(`there is no list of '${resource}', ${advice}`)
      }
      const max = limit === undefined ? Infinity : parseWholeNumber('limit', limit, 1, 1e9)
      const columns = list === 'links' ? linkColumns : undefined
      // CSV has a header even without rows.
      const documented = Object.keys(schemas[list].shape)
      const output = await createOutput(args, { own: { always: documented, main: columns } })
      const problems: string[] = []
      // A row that does not match its documented type is printed unchanged, and the other rows are printed too.
      const client = createClient(args, {
        validation: 'report',
        onDrift: ({ issues }) => problems.push(describeIssues(issues)),
      })
      const work = new Work(client, 'rows')
      let lacking: string[] = []
      await work.run(
        async () => {
          lacking = await output.writePages(read(work, list, max), documented, work.signal, columns)
        },
        () => 'stopped: the list is incomplete.',
      )
      if (problems.length > 0) {
        const unchanged = 'rows that do not match their documented type were printed unchanged'
        throw new IncompleteError(`${unchanged}: ${problems.join('; ')}`)
      }
      if (lacking.length > 0) {
        const missing = `columns that are missing from the first page were left out: ${lacking.join(', ')}`
        throw new IncompleteError(`${missing}. --format ndjson includes them`)
      }
    },
  },
  1,
)

/** How many rows are printed at a time. Some servers send the whole list as one page. */
const MAX_ROWS = 1000

/** Reads the first `max` rows of a list, page by page. */
async function* read({ client, progress, signal }: Work, list: ListName, max: number): AsyncGenerator<OutputRow[]> {
  const elapsedMs = startStopwatch()
  let done = 0
  for await (const { items, result } of client[list].list({}, { signal }).pages()) {
    const rows = items.slice(0, max - done).map((row: unknown) => (isRecord(row) ? row : { row }))
    done += rows.length
    progress.clear()
    for (let first = 0; first === 0 || first < rows.length; first += MAX_ROWS) yield rows.slice(first, first + MAX_ROWS)
    if (done >= max || rows.length === 0) break
    const total = result === undefined ? undefined : Math.min(result, max)
    const etaMs = total === undefined ? undefined : (elapsedMs() / done) * (total - done)
    progress.showList({ done, failed: 0, total, etaMs }, items.length)
  }
}
