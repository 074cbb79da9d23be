import { ShortLinkClient } from 'shortlink-sdk'
import { syncLinks } from 'shortlink-sdk/tasks'

const wanted = [
  { alias: 'shop-tea', url: 'https://shop.example/tea' },
  { alias: 'shop-boots', url: 'https://shop.example/boots' },
]
const options = { apply: true, prune: 'shop-' }
for await (const { ok, error } of syncLinks(new ShortLinkClient(), wanted, options)) if (!ok) throw error
