import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { serve } from 'shortlink-sdk/node'
import { createSandbox, type Deviation } from 'shortlink-sdk/testing'
import { afterEach, expect, test } from 'vitest'
import { now, seed } from '../fixtures/seed.ts'

/** A request of a public program in a form that this client never sends, and what the program needs of the response. */
interface OtherClient {
  /** The public repository. */
  program: string
  does: string
  server?: readonly Deviation[]
  /** The request as its HTTP library writes it, but for the host and the length of the body. */
  sends: string
  gets: unknown
}

const json = 'Authorization: Bearer KEY\nContent-Type: application/json'
/** A Go client reads ids and counts into strings and `error` into an integer, a Python client wants HTTP 200. */
const urlbae = ['numbers-as-strings', 'error-as-number', 'refusals-in-200'] as const
const clc = ['error-as-number', 'refusals-in-200'] as const
const randomAddress = expect.stringMatching(/^https:\/\/sho\.rt\/\w+$/)

const programs: OtherClient[] = [
  {
    program: 'jacobrosenfeld/Link-Scripts',
    does: 'names a domain without its scheme',
    sends: `POST /api/url/add\n${json}\n\n{"url":"https://shop.example/tea","custom":"sale","domain":"adtracking.link"}`,
    gets: { error: 0, id: 3, shorturl: 'https://adtracking.link/sale' },
  },
  {
    program: 'jacobrosenfeld/Link-Scripts',
    does: 'asks for 500 links at once, with a Content-Type on a GET',
    sends: `GET /api/urls?limit=500\n${json}\n\n`,
    gets: expect.objectContaining({ error: '0', data: expect.objectContaining({ result: 2, perpage: 500 }) }),
  },
  {
    program: 'Arkosh744/urlbae_client_API',
    does: 'reads ids and counts into strings and error into an integer',
    server: urlbae,
    sends: `GET /api/files?name=photo\nUser-Agent: Go-http-client/1.1\n${json}\n\n`,
    gets: expect.objectContaining({ error: 0, result: '1', list: [expect.objectContaining({ id: '2' })] }),
  },
  {
    program: 'Arkosh744/urlbae_client_API',
    does: 'is told that its alias is taken by error 1 and exactly this message, and tries again without one',
    server: urlbae,
    sends: `POST /api/url/add\n${json}\n\n{"url": "https://shop.example/a", "custom": "tea"}`,
    gets: { error: 1, message: 'That alias is taken. Please choose another one.' },
  },
  {
    program: 'lewispour/UrlBae-Cli',
    does: 'uploads lines of text as application/json',
    server: urlbae,
    sends: `POST /api/files/upload/notes.txt?name=Notes&custom=notes\n${json}\n\nThree lines,\n\nno JSON.\n`,
    gets: { error: 0, id: '3', shorturl: 'https://sho.rt/notes' },
  },
  {
    program: 'kbrmedia/Premium-URL-Shortener',
    does: 'sends the key as a Token, and the slashes of the address escaped as PHP does',
    server: ['key-as-token'],
    sends:
      'POST /api/url/add\nAuthorization: Token KEY\nContent-Type: application/json\n\n{"url":"https:\\/\\/shop.example\\/a","custom":"a"}',
    gets: { error: 0, id: 3, shorturl: 'https://sho.rt/a' },
  },
  {
    program: 'FnrDev/slash-commands',
    does: 'sends the bare key and an empty password, and reads short',
    server: ['key-raw', 'link-create-short'],
    sends:
      'POST /api/url/add\nContent-Type: application/json\nAuthorization: KEY\n\n{"url":"https://shop.example/a","password":""}',
    gets: { error: 0, short: randomAddress },
  },
  {
    program: 'UrlTakedownService.php for url1.io',
    does: 'finds a link by its whole address, which it does not escape',
    server: ['short-as-list'],
    sends: `GET /api/urls?short=https://sho.rt/map\n${json}\n\n`,
    gets: expect.objectContaining({ data: expect.objectContaining({ urls: [expect.objectContaining({ id: 2 })] }) }),
  },
  {
    program: 'UrlTakedownService.php for url1.io',
    does: 'deletes a link with an empty list as JSON',
    sends: `DELETE /api/url/2/delete\n${json}\n\n[]`,
    gets: { error: 0, message: 'Link has been deleted successfully.' },
  },
  {
    program: 'course scripts for clc.li',
    does: 'shortens, as curl',
    server: clc,
    sends: `POST /api/url/add\nUser-Agent: curl\n${json}\n\n{"url": "https://shop.example/a"}`,
    gets: { error: 0, id: 3, shorturl: randomAddress },
  },
  {
    program: 'Shotcut-Track/shotcutapi-python',
    does: 'sends null for what is not set, and takes any error but 0 for a refusal',
    server: ['error-as-number'],
    sends: `POST /api/channel/add\n${json}\n\n{"name": "Mail", "description": null, "color": null, "starred": false}`,
    gets: { error: 0, id: 3, name: 'Mail', description: '', color: '', starred: false },
  },
  {
    program: 'Shotcut-Track/shotcutapi-python',
    does: 'assigns a link to a campaign with an empty body',
    sends: `POST /api/campaign/2/assign/1\n${json}\nContent-Length: 0\n\n`,
    gets: { error: 0, message: 'Link successfully added to the campaign.' },
  },
  {
    program: 'LinkTwin/n8n-nodes-linktwin',
    does: 'sends fields of its own server, which are passed over',
    sends: `POST /api/url/add\n${json}\n\n{"url":"https://shop.example/a","custom":"a","clicklimit":0,"note":"N"}`,
    gets: { error: 0, id: 3, shorturl: 'https://sho.rt/a' },
  },
  {
    program: 'kbrmedia/Premium-URL-Shortener, of an older version',
    does: 'calls what the platform does not have',
    sends: `POST /api/url/stats\n${json}\n\n{}`,
    gets: { error: 1, message: 'This path does not take POST.' },
  },
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
  return await text(response)
}

test.each(programs)('$program $does', async ({ sends, server = [], gets }) => {
  expect(JSON.parse(await answerTo(sends, server))).toEqual(gets)
})
