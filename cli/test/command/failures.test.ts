import type { Fault } from 'shortlink-sdk/testing'
import { expect, test, vi } from 'vitest'
import { run, setUp, shop } from './run.ts'

test.each([
  ['the key is wrong', { key: 'wrong-key-1234567890' }, /: 401 .*SHORTLINK_API_KEY/],
  ['the address is wrong', { path: '/v2' }, /: 404 .*SHORTLINK_BASE_URL, which is http:\S+\/api\/v2\n/],
])('import and shorten end at the first failure if %s, and print only that error', async (_, server, message) => {
  const { sandbox, write, files } = await setUp()
  const { key = sandbox.apiKey, path = '' }: Record<string, string> = server
  vi.stubEnv('SHORTLINK_API_KEY', key)
  const rows = Array.from({ length: 100 }, (_, index) => `${shop(String(index))},p-${index}`)
  const file = await write('links.csv', `url,custom\n${rows.join('\n')}`)
  for (const command of [
    ['import', file],
    ['shorten', shop('a'), shop('b')],
  ]) {
    const before = sandbox.requests.length
    const { status, stdout, stderr } = await run(...command, '--base-url', process.env.SHORTLINK_BASE_URL + path)
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
    expect(stderr).toMatch(message)
    expect(stderr).not.toMatch(/1234567890/)
    expect(stderr.match(/^shortlink /gm)).toHaveLength(1)
    expect(sandbox.requests.length - before).toBeLessThanOrEqual(20)
  }
  expect(await files()).toEqual(['links.csv', 'links.csv.journal'])
})

test('if a revoked key ends an import, the row that was refused has the error', async () => {
  const { sandbox, write } = await setUp()
  const refusal = { status: 401, body: { error: 1, message: 'Invalid key.' } }
  sandbox.fail({ path: '/url/add', after: 10, times: 100, ...refusal })
  const rows = Array.from({ length: 30 }, (_, index) => `${shop(String(index))},p-${index}`)
  const { status, stdout } = await run('import', await write('links.csv', `url,custom\n${rows.join('\n')}`))
  expect(status).toBe(1)
  expect(stdout).toMatch(/,rejected,.*401 Invalid key\..*\n/)
  expect(stdout).not.toContain('rejected,not tried yet')
  expect(stdout).toContain('p-29,,p-29,,not-sent,not tried yet\n')
})

test.each([0, 15])('import continues if the campaign of row %i is not found', async (after) => {
  const { sandbox, write } = await setUp()
  sandbox.fail({ path: '/url/add', after, status: 404, body: { error: 1, message: 'No.' } })
  const rows = Array.from({ length: 20 }, (_, index) => `${shop(String(index))},p-${index},2`)
  const { status, stderr } = await run('import', await write('links.csv', `url,custom,campaign\n${rows.join('\n')}`))
  expect(status).toBe(1)
  expect(stderr).toContain('19 created, 0 already existed, unchanged, 1 failed')
})

const moved = { status: 302, headers: { location: 'https://new.example/api/url/add' } }

const refusal = (status: number) => ({ status, body: { error: 1, message: 'No.' } })

test.each<[string, Partial<Fault>, string]>([
  ['a redirect', moved, 'https://new.example/api'],
  ['a page', { status: 200, body: '<html></html>' }, 'the response is an HTML page, not JSON'],
  ['no response', { drop: 'before' }, 'no response'],
])('an import ends with an explanation if its first calls get %s', async (_, fault, message) => {
  const { sandbox, write } = await setUp()
  sandbox.fail({ times: 100, ...fault })
  const rows = Array.from({ length: 50 }, (_, index) => `${shop(String(index))},p-${index}\n`).join('')
  const { status, stderr } = await run('import', await write('links.csv', `url,custom\n${rows}`))
  expect(status).toBe(1)
  expect(stderr).toContain(message)
  expect(sandbox.requests.length).toBeLessThanOrEqual(30)
})

test.each<[string, Partial<Fault>]>([
  ['a redirect after a success', { ...moved, after: 20 }],
  ['a page after a success', { status: 200, body: '<html></html>', after: 20 }],
  ['a server error', refusal(500)],
])('an import continues after %s', async (_, fault) => {
  const { sandbox, write } = await setUp()
  sandbox.fail({ path: '/url/add', times: 20, ...fault })
  const rows = Array.from({ length: 50 }, (_, index) => `${shop(String(index))},p-${index}\n`).join('')
  const { stderr } = await run('import', await write('links.csv', `url,custom\n${rows}`))
  expect(stderr).toMatch(/^\d+ created, \d+ already existed, unchanged, \d+ failed$/m)
})

test.each([
  ['404 after a success', { ...refusal(404), after: 20 }],
  ['400', refusal(400)],
  ['403', refusal(403)],
])('an import ends after five refusals with the same message: %s', async (_, fault) => {
  const { sandbox, write } = await setUp()
  sandbox.fail({ path: '/url/add', times: 20, ...fault })
  const rows = Array.from({ length: 50 }, (_, index) => `${shop(String(index))},p-${index}\n`).join('')
  const { stderr, status } = await run('import', await write('links.csv', `url,custom\n${rows}`))
  expect(stderr).toContain('the server refused 5 items with the same message')
  expect(status).toBe(1)
})

const firewall = '<!doctype html><html><title>Attention Required!</title><body>You have been blocked</body></html>'

test.each([403, 401])('a page of a firewall with %i is called a page, and the key is not blamed', async (status) => {
  const { sandbox, write } = await setUp()
  sandbox.fail({ times: Infinity, status, body: firewall, headers: { 'Content-Type': 'text/html' } })
  const list = await run('list', 'links')
  expect(list.status).toBe(1)
  const page = 'a web page instead of a message, perhaps of a firewall in front of the server'
  expect(list.stderr).toContain(`shortlink list: GET /urls: ${status} ${page}\n`)
  expect(list.stderr).not.toContain('SHORTLINK_API_KEY')
  const rows = Array.from({ length: 30 }, (_, index) => `${shop(String(index))},p-${index}`)
  const { status: ended, stderr } = await run('import', await write('links.csv', `url,custom\n${rows.join('\n')}`))
  expect(ended).toBe(1)
  expect(stderr).not.toContain('no message')
  if (status === 403)
    expect(stderr).toContain(
      'refused 5 items with the same message, so the rest was not tried: a web page instead of a message, perhaps of a firewall in front of the server (status 403)',
    )
})

test('a quota that ends a run says when the server accepts requests again', async () => {
  const { sandbox, write } = await setUp()
  const body = { error: 429, message: 'Daily quota exceeded' }
  sandbox.fail({ path: '/url/add', after: 3, times: Infinity, status: 429, body, headers: { 'Retry-After': '3600' } })
  const rows = Array.from({ length: 8 }, (_, index) => `${shop(String(index))},p-${index}`)
  const { status, stderr } = await run('import', await write('links.csv', `url,custom\n${rows.join('\n')}`))
  expect(status).toBe(1)
  const [, minutes = '', time = ''] =
    /The server accepts requests again in (\d+) minutes, at (\d{4}-\d\d-\d\d \d\d:\d\d)\./.exec(stderr) ?? []
  expect(Number(minutes)).toBeGreaterThanOrEqual(59)
  expect(Math.abs(new Date(time).getTime() - Date.now() - 3_600_000)).toBeLessThan(120_000)
  expect(stderr).toContain('3 of 8 links are done')
})
