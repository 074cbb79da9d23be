/** Assigns links to campaign 1 with a journal and prints how many are done, until it has ended or is killed. */

import { bulk } from 'shortlink-cli'
import { ShortLinkClient } from 'shortlink-sdk'
import { fileJournal } from '../../../src/tasks/file-journal.ts'

const [baseUrl, apiKey, journal, count, concurrency] = process.argv.slice(2) as [string, string, string, string, string]
const client = new ShortLinkClient({ baseUrl, apiKey, rateLimit: false })
const ids = Array.from({ length: Number(count) }, (_, index) => index + 1)

const run = bulk(ids, (id, { signal }) => client.campaigns.assignLink(1, id, { signal }), {
  client,
  concurrency: Number(concurrency),
  journal: fileJournal(journal),
  key: (id) => id,
  onProgress: ({ done }) => console.log(done),
})
await run.summary()
