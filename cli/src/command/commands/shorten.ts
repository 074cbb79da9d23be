import process from 'node:process'
import { createInterface } from 'node:readline'
import { printable } from '../../../../src/client/runtime/text.ts'
import type { LinkRow } from '../../tasks/rows.ts'
import { clientArgs } from '../client.ts'
import { asIncomplete, command, errorMessage, IncompleteError, UsageError } from '../command.ts'
import { countsOf, many } from '../counts-and-times.ts'
import { importRows } from '../import-rows.ts'
import { jsonText } from '../output.ts'
import { resolveDomain } from '../resolve-names.ts'
import { Work } from '../work.ts'

/** The result of a URL, as `--json` prints it. */
type ShortenedUrl = { readonly url: unknown } & (
  | { readonly shorturl: string; readonly created: boolean }
  | { readonly error: string }
)

/** An empty line of the input, which is one of the output. */
const EMPTY: ShortenedUrl = { url: '', error: '' }

/** `shortlink-sdk shorten` */
export default command(
  {
    meta: { name: 'shorten', description: 'Make a short address for each URL, and print one a line' },
    args: {
      urls: {
        type: 'positional',
        required: false,
        description: 'URL…; without any, or for -, one a line from standard input',
      },
      alias: { type: 'string', valueHint: 'alias', description: 'the alias, for one URL' },
      domain: { type: 'string', valueHint: 'url', description: 'a branded domain of the account' },
      reuse: { type: 'boolean', description: 'take a link that leads to the URL already' },
      json: { type: 'boolean', description: 'print a list of { url, shorturl, created } or { url, error }' },
      ...clientArgs,
    },
    async run({ args }) {
      const { _: given, alias, domain, reuse, json } = args
      if (given.length === 0 && process.stdin.isTTY)
        throw new UsageError('no URL: give one, or lines on standard input')
      const urls = given.join() === '-' ? [] : given
      if (alias && urls.length !== 1) throw new UsageError('--alias is for one URL')
      const work = new Work(args, 'URLs')
      const ownDomain = domain === undefined ? undefined : await resolveDomain(domain, work.client)
      const entries: ShortenedUrl[] = []
      /** The place of each row among the lines. */
      const places: number[] = []
      const rows = async function* (): AsyncGenerator<LinkRow> {
        let place = 0
        for await (const line of urls.length > 0 ? urls : createInterface({ input: process.stdin })) {
          const url = line.trim()
          if (url === '') entries[place++] = EMPTY
          else {
            places.push(place++)
            yield { url, ...(alias && { custom: alias }), ...(ownDomain && { domain: ownDomain }) }
          }
        }
      }
      let printed = 0
      const print = (entry: ShortenedUrl | undefined) => {
        printed++
        if (json) return
        work.progress.clear()
        console.log(entry && 'shorturl' in entry ? printable(entry.shorturl) : '')
      }
      const { error: end } = await importRows(
        work,
        rows(),
        { reuse },
        (result, isEnd) => {
          if (isEnd) return
          const { row, index, error } = result
          const { url } = row
          if (!result.ok) work.progress.say(`${printable(String(url))}: ${printable(errorMessage(error))}`)
          entries[places[index]!] = result.ok
            ? { url, shorturl: result.shorturl, created: result.created }
            : { url, error: errorMessage(error) }
          // In the order of the URLs, whichever is ready first. An empty line keeps the pairs of `paste`.
          while (entries[printed]) print(entries[printed])
        },
        () => 'stopped: the short addresses above are done.',
      )
      const known = entries.filter((entry) => entry && entry !== EMPTY)
      if (end !== undefined && known.length === 0) throw end
      // Empty lines at the end, and after a stop what had to wait for the URLs before it.
      while (printed < entries.length) print(entries[printed])
      if (json) console.log(jsonText(known, 2))
      const failed = known.filter((entry) => 'error' in entry).length
      const created = known.filter((entry) => 'created' in entry && entry.created).length
      const found = known.length - created - failed
      if (found > 0) console.error(countsOf({ created, found, failed }))
      if (end !== undefined) throw asIncomplete(end)
      if (failed > 0) throw new IncompleteError(`${many(failed, 'URL')} failed`)
    },
  },
  Infinity,
)
