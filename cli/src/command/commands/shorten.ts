import process from 'node:process'
import { createInterface, type Interface } from 'node:readline'
import { InvalidRequestError } from 'shortlink-sdk'
import { isSameAddress } from '../../../../src/client/links/match.ts'
import { toPrintable } from '../../../../src/client/runtime/text.ts'
import { AsciiFallback } from '../../tasks/ascii.ts'
import { bulk } from '../../tasks/bulk.ts'
import type { BulkResult } from '../../tasks/task.ts'
import { describeHiddenText } from '../../text.ts'
import { clientArgs, createClient } from '../client.ts'
import {
  defineCommand,
  getErrorMessage,
  IncompleteError,
  LINKS_EXIST,
  toIncompleteError,
  UsageError,
} from '../command.ts'
import { formatCount, formatCounts, pluralize } from '../counts-and-times.ts'
import { findParameter } from '../files/column-names.ts'
import { formatJson } from '../output.ts'
import { print } from '../print.ts'
import { resolveDomain } from '../resolve-names.ts'
import { runTask } from '../run-task.ts'
import { Work } from '../work.ts'

/** The short address of a URL. */
interface ShortAddress {
  readonly shorturl: string
  readonly created: boolean
}

/** The result for a URL, as `--json` prints it. */
type ShortenedUrl = { readonly url: string } & (ShortAddress | { readonly error: string })

/** The result for an empty line of the input, which becomes an empty line of the output. */
const EMPTY: ShortenedUrl = { url: '', error: '' }

export default defineCommand(
  {
    meta: {
      name: 'shorten',
      description: 'Create a link for each URL, and print one short address per line',
      examples: ['shortlink shorten https://shop.example/opening --alias opening', 'shortlink shorten < urls.txt'],
    },
    args: {
      urls: {
        type: 'positional',
        required: false,
        description:
          'the URLs to shorten; default, also with -: one per line from standard input, without lines that begin with #',
      },
      alias: { type: 'string', valueHint: 'alias', description: 'the alias, for one URL; default: the server chooses' },
      domain: { type: 'string', valueHint: 'url', description: 'a branded domain of the account' },
      json: { type: 'boolean', description: 'print a list of { url, shorturl, created } or { url, error }' },
      ...clientArgs,
    },
    async run({ args }) {
      const { _: given, alias, domain, json } = args
      if (given.length === 0 && process.stdin.isTTY)
        throw new UsageError('no URL: expected at least one argument, or lines on standard input')
      const urls = given.join() === '-' ? [] : given
      if (alias && urls.length !== 1)
        throw new UsageError(`--alias needs exactly one URL as an argument, received ${urls.length}`)
      for (const [name, value = ''] of [['alias', alias] as const, ['domain', domain] as const])
        throwIfHidden(name, value)
      const work = new Work(createClient(args), 'URLs')
      const { links } = work.client
      const ownDomain = domain === undefined ? {} : { domain: await resolveDomain(domain, work.client) }
      const urlOfId = new Map<number, string>()
      const send = async (url: string, signal: AbortSignal): Promise<ShortAddress> => {
        throwIfHidden('url', url)
        const options = { signal, priority: 'low' } as const
        const params = { url, ...ownDomain }
        if (alias) return links.ensure({ ...params, custom: alias }, { ...options, createFirst: true })
        const { id, shorturl } = await links.create(params, options)
        const other = urlOfId.get(id) ?? url
        if (!isSameAddress(other, url))
          throw new Error(`the server returned ${shorturl}, the short address of ${other}`)
        urlOfId.set(id, url)
        return { shorturl, created: true }
      }
      const ascii = new AsciiFallback()
      const shortenUrl = (url: string, { signal }: { signal: AbortSignal }) =>
        ascii.send({ url }, (params) => send(params.url, signal))

      const entries: ShortenedUrl[] = []
      /** The line number of each URL. */
      const places: number[] = []
      let lines: Interface | undefined
      const readUrls = async function* (): AsyncGenerator<string> {
        let place = 0
        // Created only now, because lines that arrive before the iteration would be lost.
        lines = urls.length > 0 ? undefined : createInterface({ input: process.stdin, signal: work.signal })
        work.progress.expectInput(lines !== undefined)
        for await (const line of lines ? readUrlLines(lines) : urls) {
          work.progress.expectInput(false)
          const url = line.trim()
          if (url === '') entries[place++] = EMPTY
          else {
            places.push(place++)
            yield url
          }
          work.progress.expectInput(lines !== undefined)
        }
        work.progress.expectInput(false)
      }
      let printed = 0
      let hasFailedToPrint = false
      const printAll = async (text: string) => {
        try {
          await print(text, work.signal)
        } catch (error) {
          hasFailedToPrint = true
          throw new Error(`${getErrorMessage(error)}. ${LINKS_EXIST}`)
        }
      }
      const printNext = async () => {
        const entry = entries[printed++]
        if (json) return
        work.progress.clear()
        await printAll(`${entry && 'shorturl' in entry ? toPrintable(entry.shorturl) : ''}\n`)
      }
      const recordResult = async (
        { item: url, index, ok, data, error }: BulkResult<string, ShortAddress>,
        isEnd: boolean,
      ) => {
        if (isEnd) return
        if (!ok) work.progress.say(`${toPrintable(url)}: ${toPrintable(getErrorMessage(error))}`)
        entries[places[index]!] = ok
          ? { url, shorturl: data.shorturl, created: data.created }
          : { url, error: getErrorMessage(error) }
        // Prints in the order of the URLs. A failed URL prints an empty line, so that `paste` still pairs the lines.
        while (entries[printed]) await printNext()
      }
      const task = bulk(readUrls(), shortenUrl, {
        client: work.client,
        signal: work.signal,
        onProgress: work.progress.show,
        ...(urls.length > 0 && { total: urls.length }),
      })
      const end = await runTask(work, task, recordResult, () => {
        const done = entries.some((entry) => entry && 'shorturl' in entry)
        return done ? 'stopped: only the URLs with a short address above are done.' : 'stopped: no URL is done.'
      })
      lines?.close()
      const known = entries.filter((entry) => entry && entry !== EMPTY)
      if (end !== undefined && (known.length === 0 || hasFailedToPrint)) throw end
      // Prints empty lines at the end and, after a stop, results that waited for earlier URLs.
      while (printed < entries.length) await printNext()
      if (json) await printAll(`${formatJson(known, 2)}\n`)
      const failed = known.filter((entry) => 'error' in entry).length
      const created = known.filter((entry) => 'created' in entry && entry.created).length
      const found = known.length - created - failed
      if (found > 0) console.error(formatCounts({ created, found, failed }))
      if (end !== undefined) throw toIncompleteError(end)
      if (failed > 0) throw new IncompleteError(`${pluralize(failed, 'URL')} failed`)
    },
  },
  Infinity,
)

const USE_IMPORT = "Nothing was sent. To create a link for each row of a file, use 'shortlink import FILE'"

const countCommas = (line: string): number => line.split(',').length - 1

/**
 * Yields lines of URLs. Lines that begin with `#` become empty. Lines that all have the same number of commas may be a
 * table, so they are held back until another line comes.
 *
 * @throws {UsageError} if the lines are a table
 */
async function* readUrlLines(lines: AsyncIterable<string>): AsyncGenerator<string> {
  const held: string[] = []
  let rows: string[] | undefined = []
  for await (const line of lines) {
    const text = line.trim().replace(/^#.*/, '')
    held.push(text)
    if (text !== '' && rows) {
      if (rows.length === 0) throwIfHeader(text)
      rows.push(text)
      const commas = countCommas(text)
      if (commas === 0 || commas !== countCommas(rows[0]!)) rows = undefined
    }
    if (!rows) yield* held.splice(0)
  }
  if (rows && rows.length > 1) {
    const commas = pluralize(countCommas(rows[0]!), 'comma')
    throw new UsageError(`each of the ${formatCount(rows.length)} lines has ${commas}, as in a table. ${USE_IMPORT}`)
  }
  yield* held
}

/** @throws {UsageError} if the first line of the input has the names of columns */
function throwIfHeader(line: string): void {
  const isHeader = !line.includes('://') && line.split(/[,;\t]/).some((cell) => findParameter(cell) === 'url')
  if (isHeader) throw new UsageError(`the first line is the header of a table: ${line}. ${USE_IMPORT}`)
}

/** @throws {InvalidRequestError} if a text has an invisible character or a second address, as pastes may */
function throwIfHidden(name: string, text: string): void {
  const message = describeHiddenText(text)
  if (message) throw new InvalidRequestError([{ path: [name], message }])
}
