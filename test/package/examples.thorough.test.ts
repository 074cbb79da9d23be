import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import '../../examples/testing-first.test.ts'
import '../../examples/testing-vitest.test.ts'

/** Runs an example in a process of its own, and returns what it prints. */
async function run(name: string, ...flags: string[]): Promise<string> {
  const example = fileURLToPath(new URL(`../../examples/${name}`, import.meta.url))
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', ...flags, example])
  return stdout
}

const timeout = 120_000

test.concurrent('bulk-assign.ts assigns 2,000 links though it is killed in the middle', { timeout }, async () => {
  const stdout = await run('bulk-assign.ts')
  expect(stdout).toContain('killed with SIGKILL')
  expect(stdout).toMatch(/2000 done \(\d{3} of them by an earlier run\), 0 failed/)
  expect(stdout).toMatch(/the sandbox counts 2000 links in the campaign, 20\d\d requests, \d+ refused/)
})

test.concurrent('shorten-csv.ts makes one link for each address though it is killed in the middle', {
  timeout,
}, async () => {
  const stdout = await run('shorten-csv.ts')
  expect(stdout).toContain('killed with SIGKILL')
  const [, found] = /500 done \((\d+) had a link that the journal did not know of\), 0 failed/.exec(stdout) ?? []
  expect(Number(found)).toBeGreaterThan(0)
  expect(stdout).toContain('the sandbox counts 500 links to 500 addresses')
})

test.concurrent('link-with-qr.ts puts a link and its QR code into a campaign and a channel', { timeout }, async () => {
  expect((await run('link-with-qr.ts')).split('\n')).toEqual([
    'link https://sho.rt/opening',
    expect.stringMatching(/^QR code https:\/\/sho\.rt\//),
    'campaign https://sho.rt/r/opening-day',
    'in the channel: links https://sho.rt/opening',
    expect.stringMatching(/^in the channel: qr https:\/\/sho\.rt\//),
    'Wi-Fi WIFI:T:WPA;S:Shop guests;P:tea\\; and cake;;',
    '',
  ])
})

test.concurrent('testing-node-test.ts passes', { timeout }, async () => {
  expect(await run('testing-node-test.ts', '--test')).toMatch(/pass 2\n/)
})

test.concurrent('testing-lost-post.ts creates one campaign although the response is lost', { timeout }, async () => {
  expect((await run('testing-lost-post.ts')).split('\n')).toEqual([
    'POST /campaign/add   not done no answer',
    'GET /campaigns       done 200',
    'POST /campaign/add   done no answer',
    'GET /campaigns       done 200',
    'There is one campaign “Spring sale”, with id 1.',
    '',
  ])
})
