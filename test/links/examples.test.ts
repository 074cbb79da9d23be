import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

async function run(name: string): Promise<string> {
  const example = fileURLToPath(new URL(`../../examples/${name}`, import.meta.url))
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', example])
  return stdout
}

test('examples/shorten-csv.ts makes one link for each address though it is killed in the middle', {
  timeout: 120_000,
}, async () => {
  const stdout = await run('shorten-csv.ts')
  expect(stdout).toContain('killed with SIGKILL')
  const [, found] = /500 done \((\d+) had a link that the journal did not know of\), 0 failed/.exec(stdout) ?? []
  expect(Number(found)).toBeGreaterThan(0)
  expect(stdout).toContain('the sandbox counts 500 links to 500 addresses')
})

test('examples/link-with-qr.ts puts a link and its QR code into a campaign and a channel', {
  timeout: 120_000,
}, async () => {
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
