import { expect, it } from 'vitest'
import { Examination } from '../../src/cli/doctor/examine.ts'
import { reportOf } from '../../src/cli/doctor/report.ts'
import { createSandbox, type Deviation, deviations, type SandboxDialect, sampleData } from '../../src/testing/index.ts'

/** What the doctor says of a sandbox. */
async function diagnose(dialect: SandboxDialect) {
  const rateLimit = { requests: 30, interval: 60_000 }
  const { baseUrl, apiKey, fetch, requests } = createSandbox({ dialect, rateLimit, data: sampleData() })
  const report = reportOf(await new Examination({ baseUrl, apiKey, fetch, authScheme: 'Bearer', timeout: 1000 }).run())
  return { report, requests }
}

const { report: reference, requests } = await diagnose('reference')
const names = Object.keys(deviations) as Deviation[]
const visible = names.filter((name) => !reference.notLookedFor.includes(name))

it('sees no deviation in a server that follows the reference, and sends GET only', () => {
  expect(reference).toMatchObject({
    verdict: 'works',
    deviations: [],
    notLookedFor: expect.arrayContaining(['alias-ignored']),
    requests: 10,
    sandbox: 'createSandbox({ dialect: [] })',
  })
  expect(requests.map(({ method }) => method)).toEqual(Array(10).fill('GET'))
})

it.each(visible)('sees exactly %s in a server with this deviation', async (name) => {
  const { report } = await diagnose([name])
  expect(report.deviations).toEqual([name])
  expect(report.sandbox).toBe(`createSandbox({ dialect: ['${name}'] })`)
})
