import { stripVTControlCharacters } from 'node:util'
import { sampleData } from 'shortlink-sdk/testing'
import { expect, test } from 'vitest'
import { print } from '../../src/cli/doctor/print.ts'
import type { Report } from '../../src/cli/doctor/report.ts'
import { KEY } from '../helpers/client.ts'
import { diagnose, diagnoseSandbox } from './doctor-setup.ts'

/** Everything that a user can see, or paste. */
const shown = (report: Report) => [JSON.stringify(report), print(report, 100), print(report)].join('\n')

const spellings = [
  KEY,
  encodeURIComponent(KEY),
  JSON.stringify(KEY).slice(1, -1),
  btoa(KEY),
  btoa(`owner:${KEY}`),
  KEY.replaceAll('&', '&amp;').replaceAll('"', '&quot;'),
]

/** Every string of some data. */
function strings(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(strings) : []
}

test('nothing of the account stands in a report: no email, name, address, tag or id', async () => {
  const { report, sandbox } = await diagnoseSandbox('deployed', { data: sampleData(3) })
  const { pixels, overlays, qrs, ...data } = sandbox.data
  const values = [
    ...strings(data),
    ...[...pixels, ...overlays, ...qrs].flatMap(({ type: _, ...row }) => strings(row)),
    ...sandbox.data.links.map(({ alias }) => alias),
  ].filter((value) => value.length > 6 && !/^https:\/\/sho\.rt$/.test(value))
  expect(values.length).toBeGreaterThan(60)
  const text = shown(report)
  expect(values.filter((value) => text.includes(value))).toEqual([])
  expect(text).not.toContain('@')
  expect(text).not.toContain(sandbox.apiKey)
})

test('a server that repeats the key everywhere brings it nowhere, in no spelling', async () => {
  for (const spelling of spellings) {
    const body = JSON.stringify({
      error: 0,
      data: { [spelling]: spelling, id: spelling, type: spelling },
      message: spelling,
    })
    const echo = async () => new Response(body, { headers: { 'Content-Type': 'application/json' } })
    const redirect = async () =>
      new Response(null, { status: 302, headers: { Location: `https://new.example/${encodeURIComponent(spelling)}` } })
    const thrown = () => Promise.reject(new TypeError(`fetch failed with ${spelling}`))
    for (const fetch of [echo, redirect, thrown]) {
      const report = await diagnose({
        baseUrl: 'https://sho.rt/api',
        openerUrl: 'https://opener.example',
        apiKey: KEY,
        fetch,
      })
      const text = shown(report)
      for (const form of spellings) expect(text).not.toContain(form)
    }
  }
})

test('personal data that stands in the place of a type, a key or a number is not shown', async () => {
  const { report } = await diagnoseSandbox('reference', {}, (sandbox) => {
    sandbox.fail({
      path: '/overlay',
      body: (honest: string) => honest.replaceAll('"contact"', '"Ann"').replaceAll('Lamps offer', 'Ann'),
    })
    sandbox.fail({ path: '/pixels', body: (honest: string) => honest.replaceAll('"gtmpixel"', '"ann@shop.example"') })
    sandbox.fail({
      path: '/campaigns',
      body: (honest: string) => honest.replace('"currentpage":1', '"currentpage":"ann@shop.example"'),
    })
    sandbox.fail({
      path: '/qr/:id',
      body: (honest: string) => honest.replace('"topCountries":{}', '"topCountries":{"ann@shop.example":"ann"}'),
    })
  })
  const issues = report.calls.flatMap((call) => call.issues.map(({ path, message }) => `${path}: ${message}`))
  expect(issues).toContain('data.cta[].type: an unknown word')
  expect(issues).toContain('data.pixels[].type: an unknown word')
  expect(issues).toContain('data.currentpage: expected an integer, received a string')
  expect(issues).toContain('data.topCountries.*: expected an integer, received a string')
  expect(shown(report)).not.toMatch(/\bann\b/i)
})

const control = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/
const evil = '\u001b[2J\u009b31m\u202e\u0007\r'

test.each<[where: string, fetch: () => Promise<Response>]>([
  ['an error of fetch', () => Promise.reject(new TypeError(`${evil} came`))],
  ['a page', async () => new Response(`<html>${evil} came</html>`)],
  [
    'the address of a redirect',
    async () => new Response(null, { status: 302, headers: { Location: 'https://[\u009b31m' } }),
  ],
])('control characters in %s do not reach the terminal', async (_, fetch) => {
  const report = await diagnose({
    baseUrl: 'https://sho.rt/api',
    openerUrl: 'https://opener.example',
    apiKey: KEY,
    fetch,
  })
  expect(report.works).toBe(false)
  expect(shown(report)).not.toMatch(control)
  expect([print(report, 100), print(report)].join().replaceAll('\n', '')).not.toMatch(/\p{Cc}|\p{Cf}/u)
})

test('an error of fetch is shown with its control characters replaced, and is not left out', async () => {
  const fetch = () => Promise.reject(new TypeError(`${evil} came`))
  const report = await diagnose({ baseUrl: 'https://sho.rt/api', apiKey: KEY, fetch })
  expect(report.verdict).toBe('The client will not work: no response: \ufffd[2J\ufffd31m\ufffd\ufffd  came.')
})

test('control characters in the rows of a server do not reach the terminal', async () => {
  const { report } = await diagnoseSandbox('reference', {}, (sandbox) => {
    const path = /^\/(overlay|pixels|channels)$/
    sandbox.fail({
      path,
      times: 3,
      body: (honest: string) =>
        honest
          .replaceAll(/"type":"\w+"/g, `"type":${JSON.stringify(evil)}`)
          .replaceAll('"starred"', JSON.stringify(evil)),
    })
  })
  const text = shown({ ...report, verdict: report.verdict })
  expect(report.calls.some(({ issues }) => issues.length > 0)).toBe(true)
  expect(text).not.toMatch(control)
  expect(stripVTControlCharacters(text)).toBe(text)
})

test('a report stays short, whatever a server answers', async () => {
  const rows = Array.from({ length: 2000 }, (_, index) => ({ id: {}, type: `word${index}`, [`key${index}`]: 1 }))
  const data = { result: 2000, perpage: 15, currentpage: 1, nextpage: null, maxpage: 1 }
  const body = { error: '0', data: { ...data, cta: rows, pixels: rows, campaigns: rows, channels: rows } }
  const fetch = async () => Response.json(body)
  const report = await diagnose({ baseUrl: 'https://sho.rt/api', apiKey: KEY, fetch })
  expect(report.works).toBe(false)
  expect(shown(report).length).toBeLessThan(40_000)
})
