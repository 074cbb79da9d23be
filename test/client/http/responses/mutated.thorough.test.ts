import { setImmediate as nextTurn } from 'node:timers/promises'
import fc from 'fast-check'
import { isShortLinkError } from 'shortlink-sdk'
import { expect, it } from 'vitest'
import { type CallName, calls } from '../../../calls.ts'
import { connect } from '../../../helpers/client.ts'
import { seed } from '../../../helpers/seed.ts'
import { times } from '../../../helpers/times.ts'
import { changeNames, mutate, textChangeNames } from './mutations.ts'

/** The number of bodies. `npm run fuzz` tries a million. */
const runs = Number(process.env.FUZZ_RUNS ?? times(1_000))

/** Without `find`, which makes other requests after an unusable response. */
const callNames = Object.keys(calls).filter((name) => name !== 'links.find') as CallName[]

let body = ''
/** Responds in a later turn of the event loop, like a network, because signals are not collected within one turn. */
const fetch = async () => {
  await nextTurn()
  return new Response(body)
}
/** A client whose server responds with the current `body`. */
const client = connect({ origin: 'https://sho.rt' }, { fetch })

const choice = fc.nat({ max: 0xffff })
const mutations = fc.array(fc.tuple(fc.constantFrom(...changeNames), choice, choice), { maxLength: 4 })
const textChange = fc.tuple(
  fc.oneof({ weight: 5, arbitrary: fc.constant('none') }, fc.constantFrom(...textChangeNames)),
  choice,
)

/** Returns the spellings that each scalar of a body may have in a result. */
function spellingsIn(value: unknown, spellings = new Set<string>()): Set<string> {
  if (typeof value === 'object' && value !== null) {
    for (const part of Object.values(value)) spellingsIn(part, spellings)
  } else {
    spellings.add(String(value))
    if (typeof value === 'string') spellings.add(String(Number(value)))
    // The alias of a link may be taken from the end of its short address.
    if (typeof value === 'string') spellings.add(value.slice(value.lastIndexOf('/') + 1))
    if (value === 1 || value === '1') spellings.add('true')
  }
  return spellings
}

/** Returns whether a scalar of a result is from the body, or means that the value is missing. */
const isFrom = (spellings: Set<string>, value: unknown): boolean =>
  spellings.has(String(value)) || value === '' || value === 0 || value === false

async function endOf(call: PromiseLike<unknown>): Promise<{ result: unknown } | { error: unknown }> {
  try {
    return { result: await call }
  } catch (error) {
    return { error }
  }
}

function checkError(error: unknown): void {
  if (!isShortLinkError(error)) throw new Error(`not a ShortLinkError: ${error}`, { cause: error })
  const { code, outcome, method } = error
  if (code === 'invalid_response') {
    const read = error.body as { error?: unknown } | null | undefined
    const saysDone = typeof read === 'object' && [0, '0', false, 'false'].includes(read?.error as never)
    expect(outcome).toBe(method !== 'GET' && saysDone ? 'done' : 'unknown')
  } else {
    expect(outcome, code).toBe('status' in error && error.status >= 500 ? 'unknown' : 'rejected')
  }
}

it(`a mutated body of the reference has the documented types, or is refused with an error of this package (${runs} bodies from seed ${seed})`, {
  timeout: 400_000 + runs * 20,
}, async () => {
  let answered = 0
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...callNames), mutations, textChange, async (name, mutations, textChange) => {
      body = mutate(calls[name].wire, mutations, textChange)
      const end = await endOf(calls[name].call(client))
      if ('error' in end) return checkError(end.error)
      answered++
      const found: unknown[] = []
      calls[name].type(end.result, name, found)
      // A call whose result is only a message accepts an empty success.
      const spellings = spellingsIn(body.trim() === '' ? {} : JSON.parse(body.replace(/^\uFEFF/, '')))
      for (const value of found) {
        if (!isFrom(spellings, value)) throw new Error(`${JSON.stringify(value)} does not come from ${body}`)
      }
    }),
    { numRuns: runs, seed },
  )
  // Otherwise a client that rejects everything would pass.
  expect(answered).toBeGreaterThan(runs / 5)
  expect(answered).toBeLessThan(runs)
})
