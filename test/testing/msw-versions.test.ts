import { build } from 'esbuild'
import { expect, test } from 'vitest'
import sdk from '../../package.json' with { type: 'json' }

/** Loads the entry `/testing/msw` with a module in place of msw. */
async function loadWith(msw: string) {
  const { outputFiles } = await build({
    entryPoints: [new URL('../../src/testing/msw.ts', import.meta.url).pathname],
    bundle: true,
    format: 'esm',
    write: false,
    logLevel: 'error',
    plugins: [
      {
        name: 'msw',
        setup({ onResolve, onLoad }) {
          onResolve({ filter: /^msw$/ }, () => ({ path: 'msw', namespace: 'msw' }))
          onLoad({ filter: /^msw$/, namespace: 'msw' }, () => ({ contents: msw }))
        },
      },
    ],
  })
  return await import(`data:text/javascript;base64,${Buffer.from(outputFiles[0]!.contents).toString('base64')}`)
}

const sandbox = { baseUrl: 'https://sho.rt/api', openerUrl: 'https://opener.example' }

test('with msw 1, which has no `http`, the entry loads, and `handlers` says which version it expects', async () => {
  const { handlers } = await loadWith('export const rest = { all() {} }')
  const create = () => handlers(sandbox)
  expect(create).toThrow(
    expect.objectContaining({
      name: 'ConfigurationError',
      message: 'handlers: msw 1 is installed, expected msw 2 or later',
    }),
  )
})

test('with msw 2, there is a handler for each origin', async () => {
  const { handlers } = await loadWith('export const http = { all: (path) => path }')
  expect(handlers(sandbox)).toEqual(['https://sho.rt/*', 'https://opener.example/*'])
})

test('the optional peers are of any version, so that no install fails because of an entry that an app does not use', () => {
  expect(sdk.peerDependencies).toEqual({ msw: '*', 'rate-limiter-flexible': '*' })
  expect(sdk.peerDependenciesMeta).toEqual({ msw: { optional: true }, 'rate-limiter-flexible': { optional: true } })
})
