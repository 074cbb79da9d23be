import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import cli from '../../cli/package.json' with { type: 'json' }
import sdk from '../../package.json' with { type: 'json' }

test('both packages have the same version, and shortlink-cli depends on its minor version', () => {
  const [major, minor] = sdk.version.split('.')
  expect(cli.version).toBe(sdk.version)
  expect(cli.dependencies['shortlink-sdk']).toBe(`^${major}.${minor}.0`)
})

test('both packages have the same license, and support the same versions of Node', async () => {
  const license = (folder: string) => readFile(new URL(`../../${folder}LICENSE`, import.meta.url), 'utf8')
  expect(await license('cli/')).toBe(await license(''))
  expect([cli.license, cli.engines]).toEqual([sdk.license, sdk.engines])
})
