import { ShortLinkClient } from 'shortlink-sdk'
import { syncLinks } from 'shortlink-sdk/tasks'

// Only plans.
const wanted = [
  { alias: 'shop-tea', url: 'https://shop.example/tea' },
  { alias: 'shop-boots', url: 'https://shop.example/boots' },
]
await syncLinks(new ShortLinkClient(), wanted, { prune: 'shop-' }).summary()
