/** Imports links with a hook that signs requests. If the third argument is `hook`, it stalls before the first POST. */
import { importLinks } from 'shortlink-cli'
import { fileJournal } from 'shortlink-cli/node'
import { ShortLinkClient } from 'shortlink-sdk'

const [journal, urls, stopsAt] = process.argv.slice(2) as [string, string, string]
const client = new ShortLinkClient({
  beforeRequest: async (request) => {
    const headers = new Headers(request.headers)
    headers.set('X-Signature', 'signed')
    if (request.method === 'POST' && stopsAt === 'hook') {
      console.log('signing')
      await new Promise((resolve) => setTimeout(resolve, 60_000))
    }
    return new Request(request, { headers })
  },
})
const rows = urls.split(',').map((url) => ({ url }))
for await (const { ok, shorturl, outcome } of importLinks(client, rows, { journal: fileJournal(journal) })) {
  console.log(JSON.stringify({ ok, shorturl, outcome }))
}
