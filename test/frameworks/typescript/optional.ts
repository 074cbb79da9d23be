// With exactOptionalPropertyTypes, optional properties and parameters accept `undefined` too, because programs often
// pass on their own optional values.
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
