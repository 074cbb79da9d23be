// The proxy as a Worker, with its options in a binding.
import { createProxy } from 'shortlink-sdk/proxy'

export default {
  fetch: (request, { OPTIONS }) => createProxy(JSON.parse(OPTIONS))(request),
}
