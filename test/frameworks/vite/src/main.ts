import { ShortLinkClient } from 'shortlink-sdk'

// No key: the proxy adds it. A relative address belongs to the page.
const client = new ShortLinkClient({ baseUrl: '/api/shortlink', apiKey: null })

const list = document.querySelector('ul')!
for await (const { shorturl } of client.links.list()) {
  const item = document.createElement('li')
  item.textContent = shorturl
  list.append(item)
}
