// With exactOptionalPropertyTypes, what may be left out may also be `undefined`: options are often passed on from one's
// own.
import { ShortLinkClient } from 'shortlink-sdk'

const client = new ShortLinkClient({
  baseUrl: process.env.SHORTLINK_BASE_URL,
  apiKey: process.env.SHORTLINK_API_KEY,
  openerUrl: undefined,
})

export async function save(name: string, slug?: string, signal?: AbortSignal) {
  const { id } = await client.campaigns.create({ name, slug }, { signal, timeout: undefined })
  await client.campaigns.update(id, { name, slug }, { signal })
  await client.files.upload('note.txt', new Uint8Array(), { password: slug }, { signal, onProgress: undefined })
  return await client.campaigns.list({ limit: undefined, page: undefined }, { signal }).toArray({ limit: undefined })
}
