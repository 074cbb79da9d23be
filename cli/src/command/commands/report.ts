import { access } from 'node:fs/promises'
import { isShortLinkError, type ShortLinkClient } from 'shortlink-sdk'
import { Link } from 'shortlink-sdk/schemas'
import { getHost } from '../../../../src/client/links/match.ts'
import { toPrintable } from '../../../../src/client/runtime/text.ts'
import { type ReportResult, type ReportSummary, readPrevious, reportLinks } from '../../tasks/report.ts'
import { clientArgs, createClient } from '../client.ts'
import { defineCommand, getErrorMessage, IncompleteError, parseWholeNumber, UsageError } from '../command.ts'
import { formatCount, pluralize } from '../counts-and-times.ts'
import { readInput } from '../files/input.ts'
import type { OwnColumns } from '../files/own-output.ts'
import { formatCell } from '../format-cell.ts'
import { createOutput, type OutputRow, tableArgs } from '../output.ts'
import { Work } from '../work.ts'

const groupings = ['campaign', 'domain', 'channel'] as const
type Grouping = (typeof groupings)[number]

const reportNotes = `Reads 100 links per request.
The last lines on standard error are the totals, and the links of --previous that are gone.

For a weekly email, keep a report of all links, and compare the next one with it.
`

export default defineCommand(
  {
    meta: {
      name: 'report',
      description: 'List every link with its clicks, and how many of the clicks are new',
      examples: [
        'shortlink report --out last-week.csv',
        'shortlink report --previous last-week.csv --top 10 --format md',
        'shortlink report --previous last-week.csv --by campaign --format md',
      ],
    },
    args: {
      previous: {
        type: 'string',
        valueHint: 'file',
        description:
          'an earlier report, to show how many clicks are new; if there is no such file, this is the first report',
      },
      by: {
        type: 'string',
        valueHint: groupings.join('|'),
        description: 'print one row per campaign, domain or channel instead of one per link',
      },
      top: {
        type: 'string',
        valueHint: 'n',
        description: 'print only the n rows with the most new clicks; without --previous, with the most clicks',
      },
      ...tableArgs,
      ...clientArgs,
    },
    async run({ args }) {
      const { previous: file, by, top } = args
      if (by !== undefined && !isGrouping(by)) throw new UsageError(`--by takes ${groupings.join(', ')}, not '${by}'`)
      const max = top === undefined ? undefined : parseWholeNumber('top', top, 1, 1e9)
      const isFirst = file !== undefined && (await isMissing(file))
      const own = getOwnColumns(by)
      const output = await createOutput(args, { own })
      const previous = file === undefined || isFirst ? undefined : await readEarlierReport(file)
      const work = new Work(createClient(args), 'links')
      const results: ReportResult[] = []
      let rows: OutputRow[] = []
      const lines: string[] = []
      const main = async () => {
        const run = reportLinks(work.client, {
          ...(previous && { previous }),
          signal: work.signal,
          onProgress: work.progress.showList,
        })
        try {
          for await (const result of run) results.push(result)
        } catch (error) {
          // The whole earlier report was read and checked before, so only this server can contradict it.
          if (!file || !isShortLinkError(error) || error.code !== 'configuration') throw error
          throw new UsageError(getErrorMessage(error).replace('reportLinks: previous', file))
        }
        const summary = await run.summary()
        const isShown = summary.total === 0 || summary.clicks > 0 || results.some(({ link }) => link.clicks !== null)
        if (isFirst) lines.push(`${file} does not exist, so this is the first report`)
        lines.push(...describeTotals(summary, isFirst ? undefined : file, isShown))
        if (by) rows = sumByGroup(results, by, by === 'domain' ? new Map() : await readNamesById(work.client, by))
        else {
          const names = results.some(({ link }) => link.campaign !== null)
            ? await readCampaignNames(work.client)
            : undefined
          rows = results.map((result) => toRow(result, names))
        }
      }
      await work.run(main, () => 'stopped, and nothing was written. Run the same command to start again.')

      // Without an earlier report, every click would be new.
      if (!previous) rows = rows.map(({ newClicks: _, isNew: __, ...row }) => row)
      // A report without links has all columns too, so that the next one can be compared with it.
      await output.write(max === undefined ? rows : takeTop(rows, max), rows.length > 0 ? own.main : own.always)
      for (const line of lines) console.error(toPrintable(line))
      const failed = results.filter(({ ok }) => !ok).length
      if (failed > 0) throw new IncompleteError(`${pluralize(failed, 'link')} could not be read, see the column error`)
    },
  },
  0,
  reportNotes,
)

/** The columns of a table of links. The other columns would not fit a terminal. */
const mainColumns = ['shorturl', 'title', 'longurl', 'clicks', 'newClicks', 'uniqueClicks', 'error']

/** Returns the columns that a report has. Only one with an earlier report shows new clicks. */
function getOwnColumns(by: Grouping | undefined): OwnColumns {
  if (by) return { always: [by, 'links', 'clicks'], sometimes: ['newClicks'] }
  const { uniqueclicks: _, ...shown } = Link.shape
  const sometimes = ['newClicks', 'isNew', 'campaignName', 'error']
  return { always: [...Object.keys(shown), 'uniqueClicks'], sometimes, main: mainColumns }
}

const isGrouping = (text: string): text is Grouping => groupings.some((name) => name === text)

/** Returns whether a file does not exist. */
const isMissing = (file: string): Promise<boolean> =>
  access(file).then(
    () => false,
    ({ code }: NodeJS.ErrnoException) => code === 'ENOENT' && file !== '-',
  )

/** A row of an earlier report. */
interface EarlierRow extends Readonly<Record<string, unknown>> {
  readonly id: number | string
  readonly clicks: number | string | null
  readonly error?: string
}

/** @throws {UsageError} if the file is not a report of links; the message names the row */
async function readEarlierReport(file: string): Promise<EarlierRow[]> {
  const { name, columns, rows } = await readInput(file)
  const missing = columns.includes('id') && columns.includes('clicks') ? undefined : columns.join(', ')
  if (rows.length === 0 && missing) {
    throw new UsageError(
      `${name}: expected the columns id and clicks, found ${missing}. Use a file that report has written`,
    )
  }
  const links = rows.map(({ number, cells }): EarlierRow => {
    const values = Object.fromEntries(columns.map((column, index) => [column, cells[index]]))
    return { ...(values as { id: string; clicks: string }), error: formatCell(values.error), row: number }
  })
  try {
    await readPrevious(links, `${name},`)
  } catch (error) {
    throw new UsageError(`${getErrorMessage(error)}. Use a file that report has written without --by`)
  }
  return links
}

/** Describes the totals, and the links that are gone. */
function describeTotals(summary: ReportSummary<EarlierRow>, file: string | undefined, isShown: boolean): string[] {
  const { total: links, clicks, newClicks, lostClicks, isNew, newLinkClicks, gone } = summary
  const lost = lostClicks > 0 ? `, and ${formatCount(lostClicks)} fewer on others` : ''
  const since = file === undefined ? '' : `, ${formatCount(newClicks)} of them new since ${file}${lost}`
  const sum = isShown ? `${pluralize(clicks, 'click')}${since}` : 'and the server does not show their clicks'
  const lines = [`${pluralize(links, 'link')}, ${sum}`, ...describeGone(gone)]
  // If most links are new, the file probably has only the top of a report, or another account's links.
  if (file === undefined || isNew <= links / 2) return lines
  const are = `${pluralize(isNew, 'link')} ${isNew === 1 ? 'is not in' : 'are not in'} ${file}`
  return [...lines, `${are} and ${isNew === 1 ? 'counts' : 'count'} as new (${pluralize(newLinkClicks, 'click')})`]
}

/** How many links are listed as gone, at most. */
const MAX_GONE = 10

function describeGone(gone: readonly EarlierRow[]): string[] {
  const lines = gone.slice(0, MAX_GONE).map(({ id, shorturl, clicks }) => {
    const before = formatCell(clicks) === '' ? '' : `, ${pluralize(Number(clicks), 'click')}`
    return `gone: ${formatCell(shorturl) || `link ${id}`}${before}`
  })
  return gone.length > MAX_GONE ? [...lines, `gone: ${formatCount(gone.length - MAX_GONE)} more`] : lines
}

function toRow(result: ReportResult, campaigns: ReadonlyMap<number, string> | undefined): OutputRow {
  const { link, newClicks, isNew, uniqueClicks, error } = result
  const { id, shorturl, alias, title, longurl, clicks, uniqueclicks: _, campaign, ...rest } = link
  const name = campaigns && { campaignName: campaign === null ? null : (campaigns.get(campaign) ?? null) }
  const counts = { clicks, newClicks, isNew, uniqueClicks }
  return {
    id,
    shorturl,
    alias,
    title,
    longurl,
    ...counts,
    campaign,
    ...name,
    ...rest,
    ...(error && { error: getErrorMessage(error) }),
  }
}

/** Reads the names of all campaigns or channels, by their ids. */
async function readNamesById(client: ShortLinkClient, by: 'campaign' | 'channel'): Promise<Map<number, string>> {
  const names = new Map<number, string>()
  for await (const { id, name } of by === 'campaign' ? client.campaigns.list() : client.channels.list()) {
    // Several may have the same name.
    names.set(id, [...names.values()].includes(name) ? `${name} (${id})` : name)
  }
  return names
}

/** Reads the names of all campaigns. Returns `undefined` if the server refuses the list. */
const readCampaignNames = (client: ShortLinkClient): Promise<Map<number, string> | undefined> =>
  readNamesById(client, 'campaign').catch((error) => {
    if (isShortLinkError(error) && ['api', 'permission', 'not_found'].includes(error.code)) return undefined
    throw error
  })

/** Adds up the clicks of each campaign, domain or channel, and sorts them. A link in two channels counts in both. */
function sumByGroup(results: readonly ReportResult[], by: Grouping, names: ReadonlyMap<number, string>): OutputRow[] {
  const groups = new Map<string, { links: number; clicks: number | null; newClicks: number | null }>()
  for (const { link, newClicks } of results) {
    for (const name of listGroupNames(link, by, names)) {
      const group = groups.get(name) ?? { links: 0, clicks: null, newClicks: null }
      group.links++
      // Clicks that the server does not show are unknown, not zero.
      if (link.clicks !== null) group.clicks = (group.clicks ?? 0) + link.clicks
      if (newClicks !== undefined) group.newClicks = (group.newClicks ?? 0) + newClicks
      groups.set(name, group)
    }
  }
  const rows = [...groups].map(([name, group]) => ({ [by]: name, ...group }))
  return takeTop(rows, rows.length)
}

function listGroupNames(link: ReportResult['link'], by: Grouping, names: ReadonlyMap<number, string>): string[] {
  if (by === 'domain') return [getHost(link.shorturl)]
  const ids = by === 'campaign' ? [link.campaign ?? []].flat() : (link.channel ?? [])
  return ids.length > 0 ? ids.map((id) => names.get(id) ?? `${by} ${id}`) : [`no ${by}`]
}

/** Returns the rows with the most new clicks, sorted. Equal rows are sorted by clicks. */
function takeTop(rows: readonly OutputRow[], max: number): OutputRow[] {
  const count = (row: OutputRow, column: string) => Number(row[column] ?? 0)
  return [...rows]
    .sort(
      (one, other) =>
        count(other, 'newClicks') - count(one, 'newClicks') || count(other, 'clicks') - count(one, 'clicks'),
    )
    .slice(0, max)
}
