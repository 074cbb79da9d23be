import { ShortLinkClient } from 'shortlink-sdk'
import { importLinks } from 'shortlink-sdk/tasks'

const rows = ['tea', 'lamps', 'boots', 'maps'].map((name) => ({ url: `https://shop.example/${name}`, custom: name }))

const addresses: string[] = []
for await (const { index, ok, shorturl, error } of importLinks(new ShortLinkClient(), rows)) {
  if (!ok) throw error
  addresses[index] = shorturl
}
for (const address of addresses) console.log(address)
