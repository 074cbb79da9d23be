import { createSandbox } from 'shortlink-sdk/testing'
import { describe, expect, test } from 'vitest'

type Sandbox = ReturnType<typeof createSandbox>

/** Sends one POST. Returns its result as the caller sees it and as the sandbox counts it. */
async function post(sandbox: Sandbox, name: string) {
  const { fetch, baseUrl, apiKey } = sandbox
  const seen = await fetch(`${baseUrl}/campaign/add`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ name }),
    redirect: 'manual',
  }).then(
    async (response) => ({ status: response.status, text: await response.text() }),
    () => ({ status: 0, text: '' }),
  )
  const rows = sandbox.data.campaigns.filter((row) => row.name === name).length
  return { ...seen, rows, done: sandbox.requests.at(-1)!.done }
}

async function run(seed: number, rate: number, count: number) {
  const sandbox = createSandbox({ rateLimit: false, data: { campaigns: [] }, now: () => 0 })
  sandbox.chaos({ seed, rate })
  const plays = []
  for (let index = 0; index < count; index += 1) plays.push(await post(sandbox, `c${index}`))
  return plays
}

const parse = (text: string) => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

describe('chaos', () => {
  test('the same seed causes the same faults, and another seed causes others', async () => {
    const [first, again, other] = [await run(7, 0.5, 80), await run(7, 0.5, 80), await run(8, 0.5, 80)]
    expect(again).toEqual(first)
    expect(other).not.toEqual(first)
  })

  test('about as many requests fail as the rate of chaos', async () => {
    const wrong = (await run(1, 0.3, 1000)).filter(({ status, text }) => status !== 200 || parse(text)?.error !== 0)
    // One fault in twelve is a delay, after which the request succeeds.
    expect(wrong.length / 1000).toBeGreaterThan(0.22)
    expect(wrong.length / 1000).toBeLessThan(0.33)
    expect((await run(1, 0, 50)).every(({ text }) => parse(text).error === 0)).toBe(true)
  })

  test('a response in chaos is consistent with the work, which is never done twice', async () => {
    const plays = await run(3, 1, 1500)
    const kinds = new Set<string>()
    for (const { status, text, rows, done } of plays) {
      expect(rows).toBe(done ? 1 : 0)
      const body = parse(text)
      const success = status === 200 && body?.error === 0
      const saysNo = status === 302 || status === 429 || body?.error === 1
      if (success) expect(done).toBe(true)
      if (saysNo && status < 500) expect(done).toBe(false)
      const shape = text === '' ? 'empty' : text.startsWith('<') ? 'html' : body === undefined ? 'cut' : body.error
      kinds.add(`${status} ${shape} ${done ? 'done' : 'not done'}`)
    }
    expect([...kinds].sort()).toEqual([
      '0 empty done',
      '0 empty not done',
      '200 0 done',
      '200 1 not done',
      '200 cut done',
      '200 empty done',
      '200 empty not done',
      '200 html done',
      '200 html not done',
      '302 empty not done',
      '429 1 not done',
      '500 1 done',
      '500 1 not done',
      '502 html done',
      '502 html not done',
      '503 1 done',
      '503 1 not done',
    ])
  })
})
