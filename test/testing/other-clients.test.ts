import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { serve } from 'shortlink-sdk/node'
import { createSandbox, type Deviation } from 'shortlink-sdk/testing'
import { afterEach, expect, test } from 'vitest'
import { now, seed } from '../fixtures/seed.ts'

/** What a public program sends, and what it must get back from a server like the one that it was written for. */
interface OtherClient {
  /** The public repository, and the file in it. */
  program: string
  does: string
  server: readonly Deviation[]
  /** The request as its HTTP library writes it, but for the host and the length of the body. */
  sends: string
  status?: number
  gets: unknown
}

/** link.josephjacobs.org: answers for an address that it has with its link, and repeats the last page. */
const jacobs = ['same-url-same-link', 'nextpage-repeats'] as const
/** urlbae.com: a Go client reads ids and counts into strings and `error` into an integer, a Python client wants HTTP 200. */
const urlbae = ['numbers-as-strings', 'error-as-number', 'refusals-in-200'] as const
/** clc.li: behind the bot wall; scripts raise for any status but 200, and then read `error`. */
const clc = ['bot-wall-beget', 'error-as-number', 'refusals-in-200'] as const
const reference = [] as const

const json = 'Content-Type: application/json'
const axios = 'Accept: application/json, text/plain, */*\nUser-Agent: axios/1.6.0'
const requests = 'User-Agent: python-requests/2.31.0\nAccept-Encoding: gzip, deflate\nAccept: */*'
const guzzle = 'User-Agent: GuzzleHttp/7\nAccept: application/json'
const nodeFetch = 'Accept: */*\nAccept-Language: *\nSec-Fetch-Mode: cors\nUser-Agent: node'
const go = 'User-Agent: Go-http-client/1.1'
const appsScript = 'User-Agent: Mozilla/5.0 (compatible; Google-Apps-Script)'

const page = { result: 2, perpage: 10, currentpage: 1, nextpage: null, maxpage: 1 }
const tea = {
  id: 1,
  alias: 'tea',
  shorturl: 'https://sho.rt/tea',
  longurl: 'https://shop.example/tea',
  title: 'Tea',
  description: '',
  clicks: 5,
  uniqueclicks: 0,
  domain: 'https://sho.rt',
  campaign: 1,
  channel: [1],
  date: '2025-01-06 09:00:00',
}
const map = {
  id: 2,
  alias: 'map',
  shorturl: 'https://sho.rt/map',
  longurl: 'https://shop.example/map',
  title: 'Map',
  description: 'Where we are',
  clicks: 3,
  uniqueclicks: 2,
  domain: 'https://sho.rt',
  campaign: null,
  channel: [],
  date: '2025-01-07 09:00:00',
}
const teaInStrings = { ...tea, id: '1', clicks: '5', uniqueclicks: '0', campaign: '1', channel: ['1'] }
const mapInStrings = { ...map, id: '2', clicks: '3', uniqueclicks: '2' }
const mapDetails = {
  id: 2,
  shorturl: 'https://sho.rt/map',
  longurl: 'https://shop.example/map',
  title: 'Map',
  description: 'Where we are',
  location: { Japan: 'https://shop.example/jp' },
  device: { iPhone: 'https://shop.example/ios' },
  expiry: '2026-01-01 00:00:00',
  date: '2025-01-07 09:00:00',
}
const mapStatistics = {
  clicks: 3,
  uniqueClicks: 2,
  topCountries: { Japan: '2', Kenya: '1' },
  topReferrers: { Direct: '2', 'facebook.com': '1' },
  topBrowsers: { Safari: '2', Chrome: '1' },
  topOs: { iOS: '2', Android: '1' },
  socialCount: { facebook: 1, twitter: 0, instagram: 0 },
}
const randomAddress = expect.stringMatching(/^https:\/\/sho\.rt\/\w+$/)

const programs: OtherClient[] = [
  // jacobrosenfeld/Link-Scripts: a Next.js app and an Apps Script for link.josephjacobs.org.
  {
    program: 'jacobrosenfeld/Link-Scripts bulk-links-vercel/lib/jja.ts',
    does: 'makes a link for a publication, at a domain without its scheme, of an address that has a link already',
    server: jacobs,
    sends: `POST /api/url/add\nAuthorization: Bearer KEY\n${json}\n\n{"url":"https://shop.example/tea","custom":"sale-times-2025","domain":"adtracking.link"}`,
    gets: { error: 0, id: 3, shorturl: 'https://adtracking.link/sale-times-2025' },
  },
  {
    program: 'jacobrosenfeld/Link-Scripts bulk-links-vercel/app/api/shortener/route.ts',
    does: 'shortens an address that has a link already, and gets that link: its “duplicate suppression”',
    server: jacobs,
    sends: `POST /api/url/add\nAuthorization: Bearer KEY\n${json}\n\n{"url":"https://shop.example/tea"}`,
    gets: { error: 0, id: 1, shorturl: 'https://sho.rt/tea' },
  },
  {
    program: 'jacobrosenfeld/Link-Scripts bulk-links-vercel/lib/jja.ts',
    does: 'lists the branded domains, with a Content-Type on a GET',
    server: jacobs,
    sends: `GET /api/domains?limit=100&page=1\nAuthorization: Bearer KEY\n${json}\n\n`,
    gets: {
      error: '0',
      data: {
        ...page,
        perpage: 100,
        nextpage: 1,
        domains: [
          {
            id: 1,
            domain: 'https://one.example',
            redirectroot: 'https://shop.example',
            redirect404: 'https://shop.example/404',
          },
          { id: 2, domain: 'http://two.example', redirectroot: '', redirect404: '' },
        ],
      },
    },
  },
  {
    program: 'jacobrosenfeld/Link-Scripts bulk-links-vercel/app/api/reports/route.ts',
    does: 'lists the links by date, 50 a page because 100 timed out',
    server: jacobs,
    sends: `GET /api/urls?limit=50&page=1&order=date\nAuthorization: Bearer KEY\n${json}\n\n`,
    gets: { error: '0', data: { ...page, perpage: 50, nextpage: 1, urls: [map, tea] } },
  },
  {
    program: 'jacobrosenfeld/Link-Scripts bulk-links-vercel/app/api/reports/route.ts',
    does: 'reads the unique clicks of one link',
    server: jacobs,
    sends: `GET /api/url/2\nAuthorization: Bearer KEY\n${json}\n\n`,
    gets: { error: 0, id: 2, details: mapDetails, data: mapStatistics },
  },
  {
    program: 'jacobrosenfeld/Link-Scripts bulk-links-vercel/app/api/campaigns/route.ts',
    does: 'creates a campaign, and reads its name under domain',
    server: jacobs,
    sends: `POST /api/campaign/add\nAuthorization: Bearer KEY\n${json}\n\n{"name":"Sale","slug":"sale","public":true}`,
    gets: {
      error: 0,
      id: 3,
      domain: 'Sale',
      public: true,
      rotator: 'https://sho.rt/r/sale',
      list: 'https://sho.rt/u/ann/list-3',
    },
  },
  {
    program: 'jacobrosenfeld/Link-Scripts Get All Links and Clicks.js',
    does: 'asks for 500 links at once, compares error loosely with 0, and writes them into a sheet',
    server: jacobs,
    sends: `GET /api/urls?limit=500\n${appsScript}\nAuthorization: Bearer KEY\n\n`,
    gets: { error: '0', data: { ...page, perpage: 500, nextpage: 1, urls: [tea, map] } },
  },

  // Programs for urlbae.com.
  {
    program: 'PipedreamHQ/pipedream components/urlbae/actions/shorten-url/shorten-url.mjs',
    does: 'shortens with an alias, a password and an expiry',
    server: urlbae,
    sends: `POST /api/url/add\n${axios}\n${json}\nAuthorization: Bearer KEY\n\n{"url":"https://shop.example/a","password":"p","custom":"a","expiry":"2030-12-31 23:59:59"}`,
    gets: { error: 0, id: '3', shorturl: 'https://sho.rt/a' },
  },
  {
    program: 'PipedreamHQ/pipedream components/urlbae/actions/create-qrcode/create-qrcode.mjs',
    does: 'creates a QR code of a text',
    server: urlbae,
    sends: `POST /api/qr/add\n${axios}\n${json}\nAuthorization: Bearer KEY\n\n{"type":"text","data":"Hello","background":"rgb(255,255,255)","foreground":"rgb(0,0,0)"}`,
    gets: { error: 0, id: '3', link: randomAddress },
  },
  {
    program: 'Arkosh744/urlbae_client_API urlbae/client.go',
    does: 'shortens with JSON put together by hand, and reads the id into a string and error into an integer',
    server: urlbae,
    sends: `POST /api/url/add\n${go}\nAuthorization: Bearer KEY\n${json}\n\n{"url": "https://shop.example/a", "custom": "a", "expiry": "2030-01-02 15:04:05"}`,
    gets: { error: 0, id: '3', shorturl: 'https://sho.rt/a' },
  },
  {
    program: 'Arkosh744/urlbae_client_API urlbae/client.go',
    does: 'is told that its alias is taken by error 1 and exactly this message, and tries again without one',
    server: urlbae,
    sends: `POST /api/url/add\n${go}\nAuthorization: Bearer KEY\n${json}\n\n{"url": "https://shop.example/a", "custom": "tea", "expiry": "2030-01-02 15:04:05"}`,
    gets: { error: 1, message: 'That alias is taken. Please choose another one.' },
  },
  {
    program: 'Arkosh744/urlbae_client_API urlbae/client.go',
    does: 'lists the links by date, and reads ids and clicks into strings',
    server: urlbae,
    sends: `GET /api/urls?order=date\n${go}\nAuthorization: Bearer KEY\n${json}\n\n`,
    gets: {
      error: 0,
      data: {
        result: '2',
        perpage: '15',
        currentpage: '1',
        nextpage: null,
        maxpage: '1',
        urls: [mapInStrings, teaInStrings],
      },
    },
  },
  {
    program: 'lewispour/UrlBae-Cli api_client.py',
    does: 'shortens with a type, and wants HTTP 200 or 201',
    server: urlbae,
    sends: `POST /api/url/add\n${requests}\nAuthorization: Bearer KEY\n${json}\n\n{"url": "https://shop.example/a", "custom": "a", "type": "direct"}`,
    gets: { error: 0, id: '3', shorturl: 'https://sho.rt/a' },
  },
  {
    program: 'lewispour/UrlBae-Cli api_client.py',
    does: 'lists files by name, and reads the list at the top level',
    server: urlbae,
    sends: `GET /api/files?limit=10&page=1&name=photo\n${requests}\nAuthorization: Bearer KEY\n\n`,
    gets: {
      error: 0,
      result: '1',
      perpage: '10',
      currentpage: '1',
      nextpage: null,
      maxpage: '1',
      list: [
        {
          id: '2',
          name: 'photo.png',
          downloads: '0',
          shorturl: 'https://one.example/photo',
          date: '2025-01-05 09:00:00',
        },
      ],
    },
  },
  {
    program: 'lewispour/UrlBae-Cli api_client.py',
    does: 'uploads the bytes of a file as application/json',
    server: urlbae,
    sends: `POST /api/files/upload/notes.txt?name=Notes&custom=notes&maxdownloads=3\n${requests}\nAuthorization: Bearer KEY\n${json}\n\nThree lines,\n\nno JSON.\n`,
    gets: { error: 0, id: '3', shorturl: 'https://sho.rt/notes' },
  },
  {
    program: 'lewispour/UrlBae-Cli api_client.py',
    does: 'changes what a QR code says',
    server: urlbae,
    sends: `PUT /api/qr/1/update\n${requests}\nAuthorization: Bearer KEY\n${json}\n\n{"data": "https://shop.example/new"}`,
    gets: { error: 0, message: 'QR has been updated successfully.' },
  },
  {
    program: 'lewispour/UrlBae-Cli api_client.py',
    does: 'deletes a link',
    server: urlbae,
    sends: `DELETE /api/url/2/delete\n${requests}\nAuthorization: Bearer KEY\n\n`,
    gets: { error: 0, message: 'Link has been deleted successfully.' },
  },
  {
    program: 'thebrandonc/gs-link-shortener linkShortener.js',
    does: 'shortens the last row of a sheet',
    server: urlbae,
    sends: `POST /api/url/add\n${appsScript}\n${json}\nAuthorization: Bearer KEY\n\n{"url":"https://shop.example/a"}`,
    gets: { error: 0, id: '3', shorturl: randomAddress },
  },
  {
    program: 'microsoft/PowerPlatformConnectors independent-publisher-connectors/URLBae/apiDefinition.swagger.json',
    does: 'lists pixels, with error declared a string and the numbers of the page integers',
    server: reference,
    sends: `GET /api/pixels?limit=10&page=1\nAuthorization: Bearer KEY\nAccept: application/json\n\n`,
    gets: {
      error: '0',
      data: {
        ...page,
        pixels: [
          { id: 1, type: 'gtmpixel', name: 'Tags', tag: 'GTM-1', date: '2025-01-09 09:00:00' },
          { id: 2, type: 'fbpixel', name: 'Ads', tag: 'FB-2', date: '2025-01-10 09:00:00' },
        ],
      },
    },
  },
  {
    program: 'microsoft/PowerPlatformConnectors independent-publisher-connectors/URLBae/apiDefinition.swagger.json',
    does: 'reads a QR code, with error and the counts declared integers',
    server: reference,
    sends: `GET /api/qr/2\nAuthorization: Bearer KEY\nAccept: application/json\n\n`,
    gets: {
      error: 0,
      details: { id: 2, link: 'https://sho.rt/flyer', scans: 3, name: 'Flyer', date: '2025-01-12 09:00:00' },
      data: mapStatistics,
    },
  },

  // The vendor's wrapper of 2020, and servers that want the key as it sends it, or bare, and answer with short.
  {
    program: 'kbrmedia/Premium-URL-Shortener API/Shortener.php',
    does: 'shortens with the key as a Token, and the slashes of the address escaped as PHP does',
    server: ['key-as-token'],
    sends: `POST /api/url/add\nAccept: */*\nAuthorization: Token KEY\n${json}\n\n{"url":"https:\\/\\/shop.example\\/a","custom":"a"}`,
    gets: { error: 0, id: 3, shorturl: 'https://sho.rt/a' },
  },
  {
    program: 'farfarfun/fundrive-lanzou src/fundrives/lanzou/extra.py',
    does: 'shortens at dwz.lc and ecx.cx with a Token, and reads short',
    server: ['key-as-token', 'link-create-short'],
    sends: `POST /api/url/add\nUser-Agent: Mozilla/5.0 (Windows NT 10.0)\nAccept: */*\nAuthorization: Token KEY\n${json}\n\n{"url": "https://shop.example/a"}`,
    gets: { error: 0, short: randomAddress },
  },
  {
    program: 'Next.js routes for dwz.net',
    does: 'shortens with a Token, by the fetch of Node',
    server: ['key-as-token'],
    sends: `POST /api/url/add\n${nodeFetch}\nAuthorization: Token KEY\n${json}\n\n{"url":"https://shop.example/a"}`,
    gets: { error: 0, id: 3, shorturl: randomAddress },
  },
  {
    program: 'a function for ign.onl',
    does: 'shortens with the bare key, by axios',
    server: ['key-raw'],
    sends: `POST /api/url/add\n${axios}\nAuthorization: KEY\n${json}\n\n{"url":"https://shop.example/a"}`,
    gets: { error: 0, id: 3, shorturl: randomAddress },
  },
  {
    program: 'FnrDev/slash-commands commands/general/short.js',
    does: 'shortens at i8.ae with the bare key and an empty password, and reads short',
    server: ['key-raw', 'link-create-short'],
    sends: `POST /api/url/add\n${axios}\n${json}\nAuthorization: KEY\n\n{"url":"https://shop.example/a","password":""}`,
    gets: { error: 0, short: randomAddress },
  },
  {
    program: 'abdooo9/i8.ae index.js',
    does: 'tries an address that is none, and takes any error that is not empty for a refusal',
    server: ['key-raw', 'link-create-short', 'error-as-boolean', 'refusals-in-200'],
    sends: `POST /api/url/add\nUser-Agent: node-fetch/1.0 (+https://github.com/bitinn/node-fetch)\nAccept: */*\nAuthorization: KEY\n${json}\n\n{"url":"shop.example","password":"p"}`,
    gets: { error: true, message: 'The parameter url must be an address with http or https.' },
  },
  {
    program: 'ShahabCypher/i8.ae i8_ae/i8.py',
    does: 'is refused a wrong key with HTTP 401 or 403',
    server: ['key-refused-with-403'],
    sends: `POST /api/url/add\n${requests}\nAuthorization: Bearer ANOTHER\n${json}\n\n{"url": "https://shop.example/a"}`,
    status: 403,
    gets: { error: 1, message: 'A valid API key is required to use this service.' },
  },
  {
    program: 'lephodev/scrooge-market-nft-backend config/affiliate.mjs',
    does: 'makes a link at openmy.link, at a branded domain with a title and a description for previews',
    server: reference,
    sends: `POST /api/url/add\n${axios}\nAuthorization: Bearer KEY\n${json}\n\n{"url":"https://shop.example/?aff_id=62f1c","custom":"62f1c","domain":"https://go.brand.example","metatitle":"Join us","metadescription":"It is free."}`,
    gets: { error: 0, id: 3, shorturl: 'https://go.brand.example/62f1c' },
  },

  // A service that takes reported links of url1.io down.
  {
    program: 'UrlTakedownService.php for url1.io',
    does: 'finds a link by its whole address, which it does not escape, and reads data.urls.0.id',
    server: ['short-as-list'],
    sends: `GET /api/urls?short=https://sho.rt/map\nUser-Agent: GuzzleHttp/7\nAuthorization: Bearer KEY\n${json}\n\n`,
    gets: { error: '0', data: { ...page, result: 1, perpage: 15, urls: [map] } },
  },
  {
    program: 'UrlTakedownService.php for url1.io',
    does: 'deletes a link with an empty list as JSON, and shows the message',
    server: ['short-as-list'],
    sends: `DELETE /api/url/2/delete\nUser-Agent: GuzzleHttp/7\nAuthorization: Bearer KEY\n${json}\n\n[]`,
    gets: { error: 0, message: 'Link has been deleted successfully.' },
  },

  // Course scripts for clc.li, all of one exercise.
  {
    program: 'course scripts for clc.li',
    does: 'gets through the bot wall as curl, and shortens',
    server: clc,
    sends: `POST /api/url/add\nAccept: */*\nUser-Agent: curl\nAuthorization: Bearer KEY\n${json}\n\n{"url": "https://shop.example/a"}`,
    gets: { error: 0, id: 3, shorturl: randomAddress },
  },
  {
    program: 'course scripts for clc.li',
    does: 'gets through the bot wall with its cookie, and reads the clicks of a short address',
    server: clc,
    sends: `GET /api/urls?short=https://sho.rt/map\n${requests}\nAuthorization: Bearer KEY\nCookie: beget=begetok\n\n`,
    gets: { error: 0, id: 2, details: mapDetails, data: mapStatistics },
  },
  {
    program: 'course scripts for clc.li',
    does: 'asks whether an address is a short one, raises for any status but 200, and reads error',
    server: clc,
    sends: `GET /api/urls?short=https%3A%2F%2Fshop.example%2Fa\n${requests}\nAuthorization: Bearer KEY\nCookie: beget=begetok\n\n`,
    gets: { error: 1, message: 'Link does not exist.' },
  },
  {
    program: 'course scripts for clc.li',
    does: 'has neither, and gets the page of the bot wall, which is no JSON',
    server: clc,
    sends: `POST /api/url/add\n${requests}\nAuthorization: Bearer KEY\n${json}\n\n{"url": "https://shop.example/a"}`,
    gets: expect.stringContaining('document.cookie="beget=begetok'),
  },

  // Libraries.
  {
    program: 'Shotcut-Track/shotcutapi-python shotcut/api.py',
    does: 'adds a domain with null for what is not set',
    server: ['error-as-number'],
    sends: `POST /api/domain/add\n${requests}\nAuthorization: Bearer KEY\n${json}\n\n{"domain": "https://brand.example", "redirectroot": null, "redirect404": null}`,
    gets: { error: 0, id: 3 },
  },
  {
    program: 'Shotcut-Track/shotcutapi-python shotcut/api.py',
    does: 'creates a channel with null for what is not set, and takes any error but 0 for a refusal',
    server: ['error-as-number'],
    sends: `POST /api/channel/add\n${requests}\nAuthorization: Bearer KEY\n${json}\n\n{"name": "Mail", "description": null, "color": null, "starred": false}`,
    gets: { error: 0, id: 3, name: 'Mail', description: '', color: '', starred: false },
  },
  {
    program: 'Shotcut-Track/shotcutapi-python shotcut/api.py',
    does: 'lists links by date, where "0" in error would be a refusal',
    server: ['error-as-number'],
    sends: `GET /api/urls?limit=10&page=1&order=date\n${requests}\nAuthorization: Bearer KEY\n${json}\n\n`,
    gets: { error: 0, data: { ...page, urls: [map, tea] } },
  },
  {
    program: 'Shotcut-Track/shotcutapi-python shotcut/api.py',
    does: 'assigns a link to a campaign without a body',
    server: ['error-as-number'],
    sends: `POST /api/campaign/2/assign/1\n${requests}\nAuthorization: Bearer KEY\n${json}\nContent-Length: 0\n\n`,
    gets: { error: 0, message: 'Link successfully added to the campaign.' },
  },
  {
    program: 'RenatoAscencio/enlace2 src/Services/LinkService.php',
    does: 'updates a link, with the slashes of the address escaped as PHP does',
    server: ['link-update-short'],
    sends: `PUT /api/url/1/update\n${guzzle}\nAuthorization: Bearer KEY\n${json}\n\n{"url":"https:\\/\\/shop.example\\/green","title":"Green tea"}`,
    gets: { error: 0, id: 1, short: 'https://sho.rt/tea' },
  },
  {
    program: 'RenatoAscencio/enlace2 src/Services/ChannelService.php',
    does: 'assigns a QR code to a channel without a body',
    server: reference,
    sends: `POST /api/channel/2/assign/qr/1\n${guzzle}\nAuthorization: Bearer KEY\n${json}\n\n`,
    gets: { error: 0, message: 'Item successfully added to the channel.' },
  },
  {
    program: 'LinkTwin/n8n-nodes-linktwin nodes/LinkTwin/LinkTwin.node.ts',
    does: 'shortens with fields of its own server, which are passed over',
    server: ['error-as-number'],
    sends: `POST /api/url/add\nAuthorization: Bearer KEY\nAccept: application/json\n${json}\n\n{"url":"https://shop.example/a","custom":"a","clicklimit":0,"display_title":"A","note":"N","parameters":[{"name":"utm_source","value":"mail"}]}`,
    gets: { error: 0, id: 3, shorturl: 'https://sho.rt/a' },
  },
  {
    program: 'LinkTwin/n8n-nodes-linktwin nodes/LinkTwin/LinkTwin.node.ts',
    does: 'lists every link by currentpage and maxpage',
    server: ['error-as-number'],
    sends: `GET /api/urls?limit=100&page=1\nAuthorization: Bearer KEY\nAccept: application/json\n${json}\n\n`,
    gets: { error: 0, data: { ...page, perpage: 100, urls: [tea, map] } },
  },
]

/** Calls of these programs that the platform does not have, neither in its reference nor in other public documentation. */
const unknownCalls: [program: string, request: string, status: number][] = [
  ['kbrmedia/Premium-URL-Shortener API/Shortener.php, of an older version', 'POST /api/url/stats', 405],
  ['kbrmedia/Premium-URL-Shortener API/Shortener.php, of an older version', 'POST /api/url/get', 405],
  ['LinkTwin/n8n-nodes-linktwin, of a fork', 'PUT /api/url/update/1', 404],
  ['LinkTwin/n8n-nodes-linktwin, of a fork', 'DELETE /api/url/delete/1', 404],
  ['LinkTwin/n8n-nodes-linktwin, of a fork', 'GET /api/statistics/link/1', 404],
  ['LinkTwin/n8n-nodes-linktwin, of a fork', 'GET /api/accountinfo', 404],
  ['LinkTwin/n8n-nodes-linktwin, of a fork', 'GET /api/collections?limit=100', 404],
]

let close = async () => {}
afterEach(() => close())

/** Sends a request to a sandbox over HTTP, byte for byte. */
async function answerTo(sends: string, dialect: readonly Deviation[]) {
  const sandbox = createSandbox({ apiKey: 'KEY', data: seed, now: () => now, dialect })
  const served = await serve(sandbox)
  close = served.close
  const end = sends.indexOf('\n\n')
  const [first = '', ...lines] = sends.slice(0, end).split('\n')
  const [method, path] = first.split(' ')
  const body = sends.slice(end + 2)
  const headers = lines.flatMap((line) => {
    const colon = line.indexOf(': ')
    return [line.slice(0, colon), line.slice(colon + 2)]
  })
  if (body !== '') headers.push('Content-Length', String(Buffer.byteLength(body)))
  const { host } = new URL(served.baseUrl)
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request(new URL(path!, served.baseUrl), { method: method!, headers: ['Host', host, ...headers] }, resolve)
      .on('error', reject)
      .end(body)
  })
  return { status: response.statusCode, body: await text(response) }
}

test.each(programs)('$program $does', async ({ sends, server, status = 200, gets }) => {
  const answer = await answerTo(sends, server)
  const read = answer.body.startsWith('{') ? JSON.parse(answer.body) : answer.body
  expect(read).toEqual(gets)
  expect(answer.status).toBe(status)
})

test.each(unknownCalls)('%s: %s is no call of the platform, and is refused with HTTP %i', async (_, call, refusal) => {
  const { status, body } = await answerTo(`${call}\nAuthorization: Bearer KEY\n${json}\n\n{}`, [])
  expect([status, JSON.parse(body).error]).toEqual([refusal, 1])
})
