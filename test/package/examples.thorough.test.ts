import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import '../../examples/testing/first.test.ts'
import '../../examples/testing/vitest.test.ts'

/** Runs an example in its own process, and returns its output. */
async function run(name: string, ...flags: string[]): Promise<string> {
  const example = fileURLToPath(new URL(`../../examples/${name}`, import.meta.url))
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', ...flags, example])
  return stdout
}

const timeout = 400_000

test.concurrent('node-app.ts shortens a URL, rejects an invalid one, and returns a page of links', {
  timeout,
}, async () => {
  expect((await run('node-app.ts')).split('\n')).toEqual([
    '201 {"shorturl":"https://sho.rt/l9nml"}',
    expect.stringMatching(/^400 .*an absolute URL/),
    expect.stringMatching(/^200 {"items":\[.*\],"all":51,"next":null}$/),
    '',
  ])
})

test.concurrent('lists.ts sends as few requests as it prints', { timeout }, async () => {
  expect((await run('lists.ts')).split('\n')).toEqual([
    'every row: 3496500 clicks, 10 requests',
    'page 1 of 3: 400 of 1000 campaigns',
    'page 2 of 3: 400 of 1000 campaigns',
    'page 3 of 3: 200 of 1000 campaigns',
    'page by page: 3 requests',
    'one page: 25 rows, next is 3 1 request',
    'found Spring Tea 3 https://sho.rt/r/spring-tea-3',
    'stopped by break: 1 request',
    'stopped by a signal: AbortError 2 requests',
    'the first 120 files, 2 requests',
    '',
  ])
})

test.concurrent('upload.ts shows its progress and prints the address of the file', { timeout }, async () => {
  expect(await run('upload.ts')).toMatch(
    /\[█{15}·{15}\] 32 of 64 MB\n[\s\S]*64 of 64 MB\nfile 1: https:\/\/sho\.rt\/\w+\n$/,
  )
})

test('examples/README.md has a line for each example', async () => {
  const readme = await readFile(new URL('../../examples/README.md', import.meta.url), 'utf8')
  const listed = [...readme.matchAll(/\]\(([\w./-]+)\)/g)].map(([, path = '']) => path.split('/')[0])
  const there = await readdir(new URL('../../examples/', import.meta.url))
  expect([...new Set(listed)].sort()).toEqual(there.filter((name) => name !== 'README.md').sort())
})

test.concurrent('jobs/bulk-assign.ts assigns 2,000 links even if it is killed in the middle', { timeout }, async () => {
  const stdout = await run('jobs/bulk-assign.ts')
  expect(stdout).toContain('killed with SIGKILL')
  expect(stdout).toMatch(/2000 done \(\d{3} of them by an earlier run\), 0 failed/)
  expect(stdout).toMatch(/the sandbox counts 2000 links in the campaign, 20\d\d requests, \d+ refused/)
})

test.concurrent('jobs/import-csv.ts creates one link for each address even if it is killed in the middle', {
  timeout,
}, async () => {
  const stdout = await run('jobs/import-csv.ts')
  expect(stdout).toContain('killed with SIGKILL')
  expect(stdout).toContain('500 done, 0 failed')
  expect(stdout).toContain('the sandbox counts 500 links to 500 addresses')
})

test.concurrent('qr-codes.ts puts a link and its QR code into a campaign and a channel', { timeout }, async () => {
  expect((await run('qr-codes.ts')).split('\n')).toEqual([
    'link https://sho.rt/opening',
    expect.stringMatching(/^QR code https:\/\/sho\.rt\//),
    'campaign https://sho.rt/r/opening-day',
    'in the channel: links https://sho.rt/opening',
    expect.stringMatching(/^in the channel: qr https:\/\/sho\.rt\//),
    'Wi-Fi WIFI:T:WPA;S:Shop guests;P:tea\\; and cake;;',
    '',
  ])
})

test.concurrent('testing/node-test.ts passes', { timeout }, async () => {
  expect(await run('testing/node-test.ts', '--test')).toMatch(/pass 2\n/)
})

test.concurrent('testing/lost-post.ts creates one campaign although the response is lost', { timeout }, async () => {
  expect((await run('testing/lost-post.ts')).split('\n')).toEqual([
    'POST /campaign/add   not done no response',
    'GET /campaigns       done 200',
    'POST /campaign/add   done no response',
    'GET /campaigns       done 200',
    'There is one campaign “Spring sale”, with id 1.',
    '',
  ])
})
