// Creates a client with a key inside a worker, and posts what happened.
import { ShortLinkClient } from 'shortlink-sdk'

try {
  new ShortLinkClient({ baseUrl: 'https://sho.rt/api', apiKey: 'a-secret-key' })
  postMessage('it was accepted')
} catch (error) {
  postMessage(`${error.code}: ${error.message}`)
}
