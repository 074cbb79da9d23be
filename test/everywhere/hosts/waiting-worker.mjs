// A Worker whose requests share one client, as a module of an app does. A binding has the options of the client.
import { ShortLinkClient } from 'shortlink-sdk'

let client

export default {
  async fetch(request, { OPTIONS }) {
    if (request.method === 'HEAD') return new Response()
    client ??= new ShortLinkClient(JSON.parse(OPTIONS))
    const call = client.account.get().safe()
    // The request of a call that nobody waits for ends at once, and its timers with it.
    if (new URL(request.url).pathname === '/leave') return new Response('left')
    const { ok, error } = await call
    return new Response(ok ? 'done' : String(error))
  },
}
