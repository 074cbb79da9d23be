// The proxy as a Worker. A binding has its options and the options of its client.
import { ShortLinkClient } from 'shortlink-sdk'
import { createProxy } from 'shortlink-sdk/proxy'

export default {
  fetch(request, { OPTIONS }) {
    const { client, proxy } = JSON.parse(OPTIONS)
    return createProxy(new ShortLinkClient(client), proxy)(request)
  },
}
