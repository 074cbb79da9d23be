// Tries to make a client with a key inside of a worker, and says what came of it.
import { ShortLinkClient } from '/package/dist/esm/index.js'

try {
  new ShortLinkClient({ baseUrl: 'https://sho.rt/api', apiKey: 'a-secret-key' })
  postMessage('it was accepted')
} catch (error) {
  postMessage(`${error.code}: ${error.message}`)
}
