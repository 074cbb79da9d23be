/** Does six items with a journal, and prints each when it begins. An item called `wait` waits for a line of input. */

import { once } from 'node:events'
import { fileJournal } from '../../../src/bulk/file-journal.ts'
import { bulk } from '../../../src/bulk/index.ts'

const [journal, ...items] = process.argv.slice(2) as [string, ...string[]]

const run = bulk(
  items,
  async (item) => {
    console.log(item)
    if (item === 'wait') await once(process.stdin, 'data')
  },
  { journal: fileJournal(journal), concurrency: 1 },
)
await run.summary().catch((error: Error) => console.log(error.message))
process.stdin.destroy()
