import { expect, expectTypeOf, test } from 'vitest'
import { isAllowed, type KnownCall, knownCalls, parseRule } from '../../src/proxy/allow.ts'
import type { AllowedCall } from '../../src/proxy/index.ts'
import { calls } from '../calls.ts'

const rules = knownCalls.map(parseRule)

/** The known calls that a request of the client matches. */
function matching(request: string): string[] {
  const [method = '', target = ''] = request.replace(/^OPENER (\w+) /, '$1 /opener').split(' ')
  const path = target.replace(/\?.*/, '')
  return rules.filter((rule) => isAllowed(rule, method, path)).map(({ call }) => call)
}

test.each(Object.entries(calls))('%s makes one of the calls that are known', (_, { request }) => {
  expect(matching(request)).toHaveLength(1)
})

test('each call that is known is made by a method', () => {
  const made = new Set(Object.values(calls).flatMap(({ request }) => matching(request)))
  expect(knownCalls.filter((call) => !made.has(call))).toEqual([])
})

test('a call that is not known may be allowed, and a parameter may have any name', () => {
  for (const call of ['GET /reports/:id', 'PATCH /campaigns', 'GET /qr/:code'] as AllowedCall[]) {
    expect(parseRule(call)).toMatchObject({ call })
  }
  expectTypeOf<KnownCall>().toExtend<AllowedCall>()
  expectTypeOf<'GET /reports/:id'>().toExtend<AllowedCall>()
  expectTypeOf<'campaigns'>().not.toExtend<AllowedCall>()
})
