/** `ensure` with `onTaken: 'suffix'`, called again after faults until it succeeds. */

import { LinkConflictError, ShortLinkClient } from 'shortlink-sdk'
import { createSandbox, type Fault } from 'shortlink-sdk/testing'
import { expect, test } from 'vitest'
import { failure } from '../../../helpers/outcome.ts'

const url = 'https://shop.example/opening'
const add = { method: 'POST', path: '/url/add' } as const
const look = { method: 'GET', path: '/urls' } as const

/** A client of a sandbox in which these aliases lead elsewhere. */
async function shopWith(taken: readonly string[]) {
  const sandbox = createSandbox({ rateLimit: false })
  const { links } = new ShortLinkClient({ ...sandbox.clientOptions, retry: 0, logLevel: 'off' })
  for (const custom of taken) await links.create({ url: `https://shop.example/other/${custom}`, custom })
  const made = () => sandbox.data.links.filter((row) => row.longurl === url).map(({ alias }) => alias)
  return { sandbox, links, made }
}

const sequences: [what: string, faults: Fault[]][] = [
  ['nothing', []],
  ['a lost response to the creation', [{ ...add, drop: 'after' }]],
  ['a lost creation', [{ ...add, drop: 'before' }]],
  ['a 500 to the creation', [{ ...add, status: 500 }]],
  ['a 503 to the second look', [{ ...look, after: 1, status: 503 }]],
  [
    'a lost response, and then a lost look',
    [
      { ...add, drop: 'after' },
      { ...look, after: 2, drop: 'before', times: 2 },
    ],
  ],
  ['a page of a gateway to the creation', [{ ...add, status: 200, body: '<html>Maintenance</html>' }]],
]

test.each(sequences)('after %s, ensure makes one link, and gives the same one each time', async (_, faults) => {
  const { sandbox, links, made } = await shopWith(['opening'])
  for (const fault of faults) sandbox.fail(fault)
  const ensure = () => links.ensure({ url, custom: 'opening' }, { onTaken: 'suffix' })
  for (let tries = 1; ; tries++) {
    const result = await ensure().safe()
    if (result.ok) break
    expect(result.error.message).toMatch(/^links\.ensure: /)
    expect(result.error.retryable).toBe(true)
    expect(tries).toBeLessThan(5)
  }
  expect(sandbox.pendingFaults).toEqual([])
  expect(await ensure()).toMatchObject({ shorturl: 'https://sho.rt/opening-2', created: false })
  expect(made()).toEqual(['opening-2'])
})

test('the alias itself is taken if it is free, and the first free suffix if it is not', async () => {
  const free = await shopWith([])
  const ensured = { url, custom: 'opening' }
  expect((await free.links.ensure(ensured, { onTaken: 'suffix' })).shorturl).toBe('https://sho.rt/opening')
  const used = await shopWith(['opening', 'opening-2', 'opening-3'])
  expect((await used.links.ensure(ensured, { onTaken: 'suffix' })).shorturl).toBe('https://sho.rt/opening-4')
})

test('if opening-10 is taken too, it is a LinkConflictError, and nothing was created', async () => {
  const suffixes = ['opening', ...Array.from({ length: 9 }, (_, index) => `opening-${index + 2}`)]
  const { links, made } = await shopWith(suffixes)
  const error = await failure(links.ensure({ url, custom: 'opening' }, { onTaken: 'suffix' }))
  expect(error).toBeInstanceOf(LinkConflictError)
  expect(error).toMatchObject({ outcome: 'not-sent', shorturl: 'https://sho.rt/opening-10' })
  expect(made()).toEqual([])
})

test('onTaken without an alias, with another value or among the parameters is refused before anything is sent', async () => {
  const { sandbox, links } = await shopWith([])
  for (const [call, message] of [
    [links.ensure({ url } as never, { onTaken: 'suffix' }), 'links.ensure: custom: is missing'],
    [links.ensure({ url, custom: 'a' }, { onTaken: 'skip' as never }), 'links.ensure: onTaken: expected one of suffix'],
    [links.ensure({ url, custom: 'a', onTaken: 'suffix' } as never), 'links.ensure: onTaken: is an option of the call'],
  ] as const) {
    expect((await failure(call)).message).toContain(message)
  }
  expect(sandbox.requests).toEqual([])
})
