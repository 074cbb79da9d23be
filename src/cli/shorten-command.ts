import process from 'node:process'
import { createInterface } from 'node:readline'
import { defineCommand } from 'citty'
import { printable } from '../errors.ts'
import { importLinks } from '../tasks/import.ts'
import type { LinkRow } from '../tasks/rows.ts'
import { clientArgs, clientOf } from './client.ts'
import { command, UsageError } from './command.ts'
import { jsonText } from './output.ts'
import { many } from './words.ts'
import { Work } from './work.ts'

/** `shortlink-sdk shorten` */
export const shorten = command(
  defineCommand({
    meta: { name: 'shorten', description: 'Print a short address for each URL, one a line' },
    args: {
      urls: { type: 'positional', required: false, description: 'URL…; without any, one a line from standard input' },
      alias: { type: 'string', valueHint: 'alias', description: 'the alias, for one URL' },
      domain: { type: 'string', valueHint: 'url', description: 'a branded domain of the account' },
      json: { type: 'boolean', description: 'print a list of { url, shorturl, created }' },
      ...clientArgs,
    },
    async run({ args }) {
      const { _: urls, alias, domain, json } = args
      if (urls.length === 0 && process.stdin.isTTY) throw new UsageError('no URL: give one, or lines on standard input')
      if (alias && urls.length !== 1) throw new UsageError('--alias is for one URL')
      const work = new Work(clientOf(args))
      const rows = async function* (): AsyncGenerator<LinkRow> {
        for await (const url of urls.length > 0 ? urls : linesOf(process.stdin)) {
          yield { url, ...(alias && { custom: alias }), ...(domain && { domain }) }
        }
      }
      const results: { url: unknown; shorturl: string | undefined; created: boolean | undefined }[] = []
      let failed = 0
      let printed = 0
      const main = async () => {
        for await (const { row, index, shorturl, created, error } of importLinks(work.client, rows(), {
          signal: work.signal,
        })) {
          results[index] = { url: row.url, shorturl, created }
          work.check(error, !results.some((result) => result?.shorturl !== undefined))
          if (error !== undefined && !work.signal.aborted) {
            failed++
            console.error(`${printable(String(row.url))}: ${(error as Error).message}`)
          }
          // In the order of the URLs, whichever is ready first.
          for (let next = results[printed]; next; next = results[++printed]) {
            if (!json && next.shorturl !== undefined) console.log(printable(next.shorturl))
          }
        }
      }
      await work.run(main, () => 'stopped: the short addresses above are done.')
      if (json) console.log(jsonText(results, 2))
      if (failed > 0) throw new Error(`${many(failed, 'URL')} failed`)
    },
  }),
  Infinity,
)

async function* linesOf(input: NodeJS.ReadableStream): AsyncGenerator<string> {
  for await (const line of createInterface({ input })) if (line.trim() !== '') yield line.trim()
}
