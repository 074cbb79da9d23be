/** Assigns links to campaign 1 with a journal, and says how far it is, until it has ended or is killed. */

import { fileJournal } from '../../../src/bulk/file-journal.ts'
import { bulk } from '../../../src/bulk/index.ts'
import { ShortLinkClient } from '../../../src/index.ts'

const [baseUrl, apiKey, journal, count, requests, interval] = process.argv.slice(2) as [
  string,
  string,
  string,
  ...string[],
]
const rateLimit = { requests: Number(requests), interval: Number(interval) }
const client = new ShortLinkClient({ baseUrl, apiKey, rateLimit })
const ids = Array.from({ length: Number(count) }, (_, index) => index + 1)

const run = bulk(ids, (id, { signal }) => client.campaigns.assignLink(1, id, { signal }), {
  client,
  journal: fileJournal(journal),
  onProgress: ({ done }) => console.log(done),
})
await run.summary()
