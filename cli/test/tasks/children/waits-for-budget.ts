/** Makes three calls where one per window is allowed, so only their wait for the rate limit keeps the process alive. */
import { ShortLinkClient } from 'shortlink-sdk'
import { createSandbox } from 'shortlink-sdk/testing'

const rateLimit = { requests: 1, interval: 300 }
const sandbox = createSandbox({ rateLimit })
const client = new ShortLinkClient({ ...sandbox.clientOptions, rateLimit })
const calls = [client.account.get(), client.account.get(), client.account.get()]
void Promise.all(calls).then((answers) => console.log(`${answers.length} answered`))
