import { serve } from 'shortlink-sdk/node'
import { createSandbox, type Deviation, deviations, sampleData } from 'shortlink-sdk/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import { diagnose, diagnoseSandbox, failed } from './doctor-setup.ts'

/** Of the ways to send a key, a server has one. Behind the wall, nothing is read. */
const alone: Deviation[] = ['bot-wall-beget', 'key-as-token', 'key-raw']
const names = (Object.keys(deviations) as Deviation[]).filter((name) => !alone.includes(name))
const { report: reference, sandbox } = await diagnoseSandbox('reference')
const visible = names.filter((name) => !reference.notLookedFor.includes(name))

test('a platform that follows the reference has no deviation, and every visible one was looked for', () => {
  expect(reference).toMatchObject({ works: true, deviations: [], notVisible: [], advice: [], leftOut: [] })
  expect(failed(reference)).toEqual([])
})

test('the deviations that only POST, PUT and DELETE show are not looked for', () => {
  expect(reference.notLookedFor).toEqual([
    'alias-ignored',
    'alias-slugged',
    'alias-case-ignored',
    'same-url-same-link',
    'channel-update-echoes',
    'message-missing',
    'campaign-key',
    'upload-id-under-1',
    'link-create-short',
    'link-update-short',
  ])
})

test('nothing but GET and one OPTIONS is sent, and nothing changes', () => {
  const methods = sandbox.requests.map(({ method }) => method)
  expect(methods.filter((method) => method !== 'GET')).toEqual(['OPTIONS'])
  expect(reference.requests).toBe(19)
  expect(sandbox.requests).toHaveLength(19)
  expect(sandbox.data).toEqual(createSandbox().data)
})

test.each(visible)('a platform with the deviation %s is said to have exactly that one', async (name) => {
  const { report, sandbox } = await diagnoseSandbox([name])
  expect(report).toMatchObject({ works: true, deviations: [name] })
  expect(report.requests).toBe(sandbox.requests.length)
  expect(report.requests).toBeLessThanOrEqual(20)
})

test('behind a bot wall nothing is read, no other deviation is guessed, and the advice names its cookie', async () => {
  const { report } = await diagnoseSandbox(['bot-wall-beget'])
  expect(report).toMatchObject({ works: false, deviations: ['bot-wall-beget'], requests: 2 })
  expect(report.advice.join()).toContain("`headers: { cookie: 'beget=begetok' }`")
})

test.each([
  ['key-as-token', 'Token', 'Authorization: Token KEY', 20],
  ['key-raw', 'raw', 'Authorization: KEY', 21],
] as const)(
  '%s is found by sending the key otherwise, and the line to write is printed',
  async (name, scheme, sent, requests) => {
    const { report, sandbox } = await diagnoseSandbox([name, 'nextpage-repeats'])
    expect(report).toMatchObject({ works: false, deviations: [name, 'nextpage-repeats'], requests })
    expect(report.verdict).toBe(`The client will not work: the key has to be sent as ${sent}.`)
    expect(report.advice).toEqual([`Set SHORTLINK_AUTH_SCHEME=${scheme}, or the option \`authScheme: '${scheme}'\`.`])
    expect(report.server.key).toBe(
      `refused as Authorization: Bearer KEY, taken as ${sent}; a wrong one is refused with 401`,
    )
    expect(sandbox.requests).toHaveLength(report.requests)
    const { report: again } = await diagnoseSandbox([name], {}, () => {}, { authScheme: scheme })
    expect(again).toMatchObject({ works: true, deviations: [name], advice: [], requests: 19 })
  },
)

test.each(reference.notLookedFor)('a platform with the deviation %s looks like the reference', async (name) => {
  const { report } = await diagnoseSandbox([name])
  expect(report.deviations).toEqual([])
})

test('a platform of the dialect deployed is said to have its deviations, over HTTP too', async () => {
  const deployed = [
    'extra-keys',
    'nextpage-repeats',
    'ids-sometimes-strings',
    'empty-maps-as-lists',
    'error-as-number',
    'error-as-status',
    'refusals-in-200',
  ]
  expect((await diagnoseSandbox('deployed')).report.deviations).toEqual(deployed)
  const sandbox = createSandbox({ dialect: 'deployed' })
  const { baseUrl, openerUrl, close } = await serve(sandbox)
  onTestFinished(close)
  const report = await diagnose({ baseUrl, openerUrl, apiKey: sandbox.apiKey })
  expect(report).toMatchObject({ works: true, deviations: deployed, requests: sandbox.requests.length })
})

test('what it says of a platform makes a sandbox of which it says the same', async () => {
  const first = (await diagnoseSandbox(names)).report.deviations
  const again = (await diagnoseSandbox(first)).report.deviations
  expect(first.length).toBeGreaterThan(20)
  expect(again).toEqual(first)
})

describe('pairs that could be taken for each other', () => {
  const pairs: [Deviation, Deviation][] = [
    ['booleans-as-digits', 'numbers-as-strings'],
    ['limit-capped', 'limit-forgotten'],
    ['error-as-status', 'refusals-in-200'],
    ['short-as-list', 'lists-with-gaps'],
    ['extra-keys', 'social-google'],
    ['overlay-key', 'unknown-types'],
    ['short-ignored', 'limit-refused'],
  ]
  test.each(pairs)('%s and %s are both named', async (one, other) => {
    const { report } = await diagnoseSandbox([one, other])
    expect([...report.deviations].sort()).toEqual([one, other].sort())
    expect(report.requests).toBeLessThanOrEqual(20)
  })
})

describe('a platform with few rows', () => {
  test('without any: what needs rows is not visible, and the client works', async () => {
    const { report } = await diagnoseSandbox('reference', { data: sampleData(0) })
    expect(report).toMatchObject({ works: true, deviations: [], requests: 16 })
    expect(report.notVisible.map(({ name }) => name)).toEqual([
      'limit-forgotten',
      'short-ignored',
      'short-as-list',
      'unknown-types',
      'older-link-rows',
      'booleans-as-digits',
      'ids-sometimes-strings',
      'empty-maps-as-lists',
      'empty-maps-as-zero',
      'lists-with-gaps',
      'qr-date-under-data',
      'social-google',
    ])
  })

  test.each(visible)(
    'with one of each: %s is seen or said not to be visible, and nothing else is seen',
    async (name) => {
      const { report } = await diagnoseSandbox([name], { data: sampleData(1) })
      const isSeen = report.deviations.includes(name)
      expect(isSeen || report.notVisible.some((entry) => entry.name === name) || name === 'unknown-types').toBe(true)
      expect(report.deviations).toEqual(isSeen ? [name] : [])
    },
  )
})

describe('pages', () => {
  const rows = { data: sampleData(60) }
  test.each([
    ['reference', '15 rows a page; a limit is taken; nextpage of the last page is null'],
    [['limit-capped'], '15 rows a page; a limit is capped at 25; nextpage'],
    [['limit-ignored'], '15 rows a page; a limit is ignored; nextpage'],
    [['limit-forgotten'], '15 rows a page; a limit is forgotten after the first page; nextpage'],
    [['limit-refused'], '15 rows a page; a limit is refused; nextpage'],
    [['nextpage-repeats'], 'nextpage of the last page is the page itself'],
  ] as const)('of 60 rows, of a platform with %j: %s', async (dialect, pages) => {
    const { report } = await diagnoseSandbox(dialect, rows)
    expect(report.server.pages).toContain(pages)
    expect(report.deviations).toEqual(dialect === 'reference' ? [] : dialect)
  })

  test('a cap shows in the rows where the server repeats the limit as perpage', async () => {
    const { report } = await diagnoseSandbox('reference', rows, (sandbox) => {
      const cap = (honest: string) => {
        const { error, data } = JSON.parse(honest)
        const campaigns = data.campaigns.slice(0, 30)
        return JSON.stringify({ error, data: { ...data, maxpage: 2, nextpage: 2, campaigns } })
      }
      sandbox.fail({ path: '/campaigns', after: 1, body: cap })
    })
    expect(report.server.pages).toContain('a limit is capped at 30')
    expect(report.deviations).toEqual(['limit-capped'])
  })
})

test('a platform that refuses only a large limit is told from one that refuses every limit', async () => {
  const { report } = await diagnoseSandbox('reference', {}, (sandbox) => {
    sandbox.fail({ path: '/campaigns', after: 1, status: 400 })
  })
  expect(report.server.pages).toContain('a limit is refused if it is large')
  expect(report).toMatchObject({ works: true, deviations: ['limit-refused'] })
})

describe('what the doctor does not understand', () => {
  test('an unknown word is shown, and the client works', async () => {
    const { report } = await diagnoseSandbox(['unknown-types'])
    const issues = report.calls.flatMap((call) => call.issues)
    expect(issues).toEqual([
      { path: 'data.cta[].type', message: "unknown word 'coupon'", times: 1 },
      { path: 'data.pixels[].type', message: "unknown word 'metapixel'", times: 1 },
    ])
    expect(report.works).toBe(true)
    expect(report.advice.join()).toContain('Report them to the authors')
  })

  test('a row that does not fit is shown by path and kinds, once for all rows, and the client does not work', async () => {
    const { report } = await diagnoseSandbox('reference', {}, (sandbox) => {
      const broken = (honest: string) => honest.replace(/"tag":"[^"]*"/g, '"tag":{"secret":1}')
      sandbox.fail({ path: '/pixels', body: broken })
    })
    const call = report.calls.find(({ path }) => path === '/pixels')
    expect(call).toMatchObject({
      ok: false,
      issues: [{ path: 'data.pixels[].tag', message: 'expected a string, received an object', times: 3 }],
    })
    expect(report.works).toBe(false)
    expect(report.verdict).toBe('The client will not work for pixels.list().')
    expect(report.advice.join()).toContain("validation: 'report'")
  })
})
