import { ShortLinkClient } from 'shortlink-sdk'

export const client = new ShortLinkClient({ baseUrl: '/api/shortlink', apiKey: null })

/** Shortens an address, and shows the result or the code of the error. */
export async function shorten(url: string, output: HTMLElement): Promise<void> {
  const result = await client.links.create({ url }).safe()
  output.textContent = result.ok ? result.data.shorturl : result.error.code
}

/** Shows all links. */
export async function showLinks(list: HTMLElement): Promise<void> {
  for await (const { shorturl } of client.links.list()) {
    const item = document.createElement('li')
    item.textContent = shorturl
    list.append(item)
  }
}
