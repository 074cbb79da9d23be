import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

it('the example of long work assigns 2,000 links though it is killed in the middle', { timeout: 120_000 }, async () => {
  const example = fileURLToPath(new URL('../../examples/bulk-assign.ts', import.meta.url))
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', example])
  expect(stdout).toContain('killed with SIGKILL')
  expect(stdout).toMatch(/2000 done \(\d{3} of them by an earlier run\), 0 failed/)
  expect(stdout).toMatch(/the sandbox counts 2000 links in the campaign, 20\d\d requests, \d+ refused/)
})
