// The proxy as a Worker, with the options of its client and its own in a binding.
import { ShortLinkClient } from 'shortlink-sdk'
import { createProxy } from 'shortlink-sdk/proxy'

export default {
  fetch(request, { OPTIONS }) {
    const { client, proxy } = JSON.parse(OPTIONS)
    return createProxy(new ShortLinkClient(client), proxy)(request)
  },
}
