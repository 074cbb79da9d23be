// Creates a client with a key in a worker, and posts the result.
import { ShortLinkClient } from 'shortlink-sdk'

try {
  new ShortLinkClient({ baseUrl: 'https://sho.rt/api', apiKey: 'a-secret-key' })
  postMessage('it was accepted')
} catch (error) {
  postMessage(`${error.code}: ${error.message}`)
}
