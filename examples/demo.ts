/**
 * Calls every resource once, over HTTP.
 *
 *     npm run demo                   against the sandbox, on a free port of this machine
 *     npm run demo -- --read-only    reads from the deployment that SHORTLINK_BASE_URL, SHORTLINK_OPENER_URL and
 *                                    SHORTLINK_API_KEY name, and changes nothing there
 */
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { styleText } from 'node:util'
import { importLinks, type ReportResult, reportLinks, syncLinks } from 'shortlink-cli'
import { isShortLinkError, NotFoundError, type Page, ShortLinkClient, type UploadProgress } from 'shortlink-sdk'
import { fileFromPath, serve } from 'shortlink-sdk/node'
import { createSandbox, sampleData } from 'shortlink-sdk/testing'

const isTerminal = process.stdout.isTTY === true
const paint = (style: 'bold' | 'dim' | 'green' | 'red', text: string) => (isTerminal ? styleText(style, text) : text)

const heading = (text: string) => console.log(`\n${paint('bold', text)}`)
const done = (label: string, result: string) => console.log(`  ${paint('green', '✓')} ${label.padEnd(15)} ${result}`)
const more = (text: string) => console.log(paint('dim', `                    ${text}`))

/** Reads every resource, and changes nothing. */
async function read(client: ShortLinkClient): Promise<void> {
  heading('Read')
  const account = await client.account.get()
  assert.match(account.email, /@/)
  done('account', `${account.username} <${account.email}>, plan ${account.status}, ends ${account.expires ?? 'never'}`)

  const first = <T>(page: Page<T>, name: (row: T) => string) =>
    `${page.result} in total${page.items[0] === undefined ? '' : `, the first is ${name(page.items[0])}`}`
  done(
    'domains',
    first(await client.domains.list({ limit: 5 }), (row) => row.domain),
  )
  done(
    'overlays',
    first(await client.overlays.list({ limit: 5 }), (row) => `“${row.name}” (${row.type})`),
  )
  done(
    'splash pages',
    first(await client.splash.list({ limit: 5 }), (row) => `“${row.name}”`),
  )
  done(
    'channels',
    first(await client.channels.list({ limit: 5 }), (row) => `“${row.name}” in ${row.color}`),
  )
  done(
    'pixels',
    first(await client.pixels.list({ limit: 5 }), (row) => `${row.type} “${row.name}”`),
  )
  done(
    'files',
    first(await client.files.list({ limit: 5 }), (row) => `${row.name} at ${row.shorturl}`),
  )
  const codes = await client.qr.list({ limit: 5 })
  done(
    'QR codes',
    first(codes, (row) => `“${row.name}”, scanned ${row.scans} times`),
  )

  const last = codes.items.at(-1)
  if (last !== undefined) {
    const { data } = await client.qr.get(last.id)
    const top = Object.entries(data?.topCountries ?? {}).map(([country, visits]) => `${country} ${visits}`)
    done('statistics', `${data?.clicks ?? 0} clicks on “${last.name}”${top.length ? ` (${top.join(', ')})` : ''}`)
  }

  let rows = 0
  let pages = 0
  for await (const page of client.campaigns.list().pages()) {
    rows += page.items.length
    pages += 1
    assert.ok(rows <= page.result!, 'a page was returned twice')
  }
  done('campaigns', `${rows} read from ${pages} pages`)
}

/** Creates one of everything, uses it, and deletes it. */
async function write(client: ShortLinkClient, folder: string): Promise<void> {
  heading('Write')
  const domain = await client.domains.create({
    domain: 'https://go.shop.example',
    redirectroot: 'https://shop.example',
  })
  await client.domains.update(domain.id, { redirect404: 'https://shop.example/lost' })
  done('domain', `https://go.shop.example has the id ${domain.id}, and its 404 leads to the shop`)

  const campaign = await client.campaigns.create({ name: 'Opening day', slug: 'opening-day', public: true })
  assert.equal(campaign.name, 'Opening day')
  const { message } = await client.campaigns.assignLink(campaign.id, 1)
  assert.notEqual(campaign.rotator, false)
  done('campaign', `“${campaign.name}” rotates at ${campaign.rotator}`)
  more(`link 1: ${message}`)

  const channel = await client.channels.create({ name: 'Window display', color: '#3366FF', starred: true })
  const code = await client.qr.create({
    type: 'link',
    data: 'https://shop.example/opening',
    foreground: 'rgb(51,102,255)',
  })
  await client.channels.assignItem(channel.id, 'links', 1)
  await client.channels.assignItem(channel.id, 'qr', code.id)
  const items = await client.channels.items(channel.id).toArray()
  assert.deepEqual(items.map((item) => item.type).sort(), ['links', 'qr'])
  done('channel', `“${channel.name}” holds ${items.map((item) => `${item.type} ${item.id}`).join(' and ')}`)

  const pixel = await client.pixels.create({ type: 'gapixel', name: 'Analytics', tag: 'G-0000000' })
  await client.pixels.update(pixel.id, { tag: 'G-1111111' })
  done('pixel', `gapixel “Analytics” has the id ${pixel.id} and a new tag`)

  await client.qr.update(code.id, { data: 'https://shop.example/opening', background: 'rgb(255,255,255)' })
  const { details } = await client.qr.get(code.id)
  done('QR code', `${details.link}, scanned ${details.scans} times so far`)

  const path = join(folder, 'menu & prices.pdf')
  await writeFile(path, new Uint8Array(6 * 1024 * 1024).fill(37))
  const { shorturl } = await client.files.upload(
    'menu & prices.pdf',
    await fileFromPath(path),
    { name: 'Menu', custom: 'menu', expiry: '2030-12-31' },
    { onProgress: createProgressBar('file') },
  )
  done('file', `6 MB from disk, now at ${shorturl}`)

  const link = await client.opener.create({ url: 'https://www.youtube.com/watch?v=aqz-KE-bpKQ', status: 'public' })
  assert.ok(link.devicetarget.length >= 3)
  done('app opener', `${link.shorturl} opens ${link.provider}`)
  for (const { device, link: target } of link.devicetarget) more(`${device.padEnd(8)} ${shorten(target, 72)}`)

  heading('Clean up')
  const actions = [
    await client.channels.delete(channel.id),
    await client.qr.delete(code.id),
    await client.pixels.delete(pixel.id),
    await client.campaigns.delete(campaign.id),
    await client.domains.delete(domain.id),
  ]
  for (const action of actions) done('deleted', action.message)
}

/** Runs an import, a report and a sync on an account with ten links. The command of `shortlink-cli` does the same. */
async function runTasks(client: ShortLinkClient, visit: () => void): Promise<void> {
  heading('Tasks')
  const rows = ['tea', 'cake', 'lamps'].map((name) => ({ url: `https://shop.example/new/${name}`, custom: name }))
  const imported = await importLinks(client, rows).summary()
  assert.deepEqual(await importLinks(client, rows).summary(), { ...imported, created: 0, found: rows.length })
  done('import', `${imported.created} links from ${imported.total} rows; a second import found all ${imported.done}`)

  const previous: ReportResult[] = []
  for await (const link of reportLinks(client)) previous.push(link)
  visit()
  const { total, changed } = await reportLinks(client, { previous }).summary()
  assert.equal(changed, 1)
  done('report', `${total} links, ${changed} changed since the previous report`)

  const wanted = [{ alias: 'tea', url: 'https://shop.example/better/tea' }, ...rows.slice(1)]
  const plan = await syncLinks(client, wanted).summary()
  await syncLinks(client, wanted, { apply: true, mayClear: true }).summary()
  assert.equal((await syncLinks(client, wanted).summary()).keep, wanted.length)
  done('sync', `${plan.update} updated, ${plan.keep} kept; a second sync has nothing to do`)
}

/** Shows errors as values. */
async function showErrors(client: ShortLinkClient): Promise<void> {
  heading('Errors')
  const missing = await client.qr.get(999_999_999).safe()
  assert.ok(!missing.ok && isShortLinkError(missing.error))
  done(missing.error.code, missing.error.message)
  if (missing.error instanceof NotFoundError) more(`status ${missing.error.status}, outcome ${missing.error.outcome}`)

  const wrong = await client.channels.create({ name: 'Blue', color: 'blue' }).safe()
  assert.ok(!wrong.ok && wrong.error.outcome === 'not-sent')
  done(wrong.error.code, wrong.error.message)
}

/** Creates a progress bar for an upload. It is redrawn in place on a terminal, and not shown elsewhere. */
function createProgressBar(label: string): (progress: UploadProgress) => void {
  return ({ loaded, total = loaded }) => {
    if (!isTerminal) return
    const filled = Math.round((loaded / total) * 30)
    const bar = `${'█'.repeat(filled)}${'░'.repeat(30 - filled)} ${Math.round((100 * loaded) / total)} %`
    process.stdout.write(`\r    ${label.padEnd(15)} ${bar}${loaded === total ? '\r\x1b[2K' : ''}`)
  }
}

const shorten = (text: string, length: number) => (text.length > length ? `${text.slice(0, length - 1)}…` : text)

async function main(): Promise<void> {
  const started = performance.now()
  const seen = { requests: 0, refused: 0 }
  const count = {
    onRequest: () => {
      seen.requests += 1
    },
    onResponse: ({ status }: { status: number }) => {
      if (status === 429) seen.refused += 1
    },
  }
  if (process.argv.includes('--read-only')) {
    const client = new ShortLinkClient(count)
    await read(client)
    await showErrors(client)
  } else {
    // 30 requests a second instead of 30 a minute, so that the demo is short.
    const rateLimit = { requests: 30, interval: 1000 }
    const server = await serve(createSandbox({ rateLimit, data: sampleData(300) }))
    const folder = await mkdtemp(join(tmpdir(), 'shortlink-demo-'))
    console.log(`The sandbox listens at ${server.baseUrl}: 300 rows in each list, 30 requests a second.`)
    try {
      const client = new ShortLinkClient({
        baseUrl: server.baseUrl,
        openerUrl: server.openerUrl,
        apiKey: 'sandbox-key',
        rateLimit,
        ...count,
      })
      await read(client)
      await write(client, folder)
      await showErrors(client)
      const shop = createSandbox({ rateLimit, data: sampleData(10) })
      await runTasks(new ShortLinkClient({ ...shop.clientOptions, ...count }), () => shop.data.links[0]!.clicks++)
      assert.equal(seen.refused, 0, 'the rate limit sent a request too early')
    } finally {
      await rm(folder, { recursive: true })
      await server.close()
    }
  }
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  heading(`${seen.requests} requests in ${seconds} s, ${seen.refused} refused by the rate limit.`)
}

main().catch((error: unknown) => {
  console.error(`\n${paint('red', '✗')} ${isShortLinkError(error) ? error.message : error}`)
  process.exitCode = 1
})
