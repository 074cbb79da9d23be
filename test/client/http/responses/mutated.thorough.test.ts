import { setImmediate as nextTurn } from 'node:timers/promises'
import fc from 'fast-check'
import { isShortLinkError } from 'shortlink-sdk'
import { expect, it } from 'vitest'
import { type CallName, calls } from '../../../calls.ts'
import { connect } from '../../../helpers/client.ts'
import { times } from '../../../helpers/times.ts'
import { changeNames, mutate, textChangeNames } from './mutations.ts'

/** How many bodies are tried; `npm run fuzz` tries a million others. FUZZ_SEED repeats a run. */
const runs = Number(process.env.FUZZ_RUNS ?? times(1_000))
const seed = Number(process.env.FUZZ_SEED ?? (process.env.FUZZ_RUNS ? Date.now() : 10))

/** `find` makes other requests after a response that it cannot use; it has tests of its own. */
const callNames = Object.keys(calls).filter((name) => name !== 'links.find') as CallName[]

let body = ''
/** As over a network, a response comes in a later turn of the event loop. Within one turn, no signal is collected. */
const fetch = async () => {
  await nextTurn()
  return new Response(body)
}
/** A client that reads whatever `body` is then. */
const client = connect({ origin: 'https://sho.rt' }, { fetch })

const choice = fc.nat({ max: 0xffff })
const mutations = fc.array(fc.tuple(fc.constantFrom(...changeNames), choice, choice), { maxLength: 4 })
const textChange = fc.tuple(
  fc.oneof({ weight: 5, arbitrary: fc.constant('none') }, fc.constantFrom(...textChangeNames)),
  choice,
)

/** Every scalar of a body in the spellings that may stand for it in an answer. */
function spellingsIn(value: unknown, spellings = new Set<string>()): Set<string> {
  if (typeof value === 'object' && value !== null) {
    for (const part of Object.values(value)) spellingsIn(part, spellings)
  } else {
    spellings.add(String(value))
    if (typeof value === 'string') spellings.add(String(Number(value)))
    // A link that comes without its alias has it at the end of its address.
    if (typeof value === 'string') spellings.add(value.slice(value.lastIndexOf('/') + 1))
    if (value === 1 || value === '1') spellings.add('true')
  }
  return spellings
}

/** Whether a scalar of an answer comes from the body, or says that nothing was there. */
const isFrom = (spellings: Set<string>, value: unknown): boolean =>
  spellings.has(String(value)) || value === '' || value === 0 || value === false

async function endOf(call: PromiseLike<unknown>): Promise<{ answer: unknown } | { error: unknown }> {
  try {
    return { answer: await call }
  } catch (error) {
    return { error }
  }
}

function checkError(error: unknown): void {
  if (!isShortLinkError(error)) throw new Error(`an error of somebody else: ${error}`, { cause: error })
  const { code, outcome, method } = error
  if (code === 'invalid_response') {
    const read = error.body as { error?: unknown } | null | undefined
    const saysDone = typeof read === 'object' && [0, '0', false, 'false'].includes(read?.error as never)
    expect(outcome).toBe(method !== 'GET' && saysDone ? 'done' : 'unknown')
  } else {
    expect(outcome, code).toBe('status' in error && error.status >= 500 ? 'unknown' : 'rejected')
  }
}

it(`a mutated body of the reference has the documented types, or is refused with an error of this package (${runs} bodies)`, {
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
      calls[name].type(end.answer, name, found)
      // A call that returns a message alone takes an empty success.
      const spellings = spellingsIn(body.trim() === '' ? {} : JSON.parse(body.replace(/^\uFEFF/, '')))
      for (const value of found) {
        if (!isFrom(spellings, value)) throw new Error(`${JSON.stringify(value)} does not come from ${body}`)
      }
    }),
    { numRuns: runs, seed },
  )
  // A client that refused everything would pass the rest.
  expect(answered).toBeGreaterThan(runs / 5)
  expect(answered).toBeLessThan(runs)
})
