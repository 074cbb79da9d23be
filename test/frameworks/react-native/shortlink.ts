import { ShortLinkClient } from 'shortlink-sdk'

/** The client of the app. It has no key, because an app on a phone keeps no secret: your server's proxy adds it. */
export const client = new ShortLinkClient({ baseUrl: 'https://shop.example/api/shortlink', apiKey: null })
