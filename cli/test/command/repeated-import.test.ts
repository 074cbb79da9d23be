import { expect, it, vi } from 'vitest'
import { pressCtrlC, run, setUp, shop } from './run.ts'

type Server = Awaited<ReturnType<typeof setUp>>

/** First imports of ten rows without aliases, by how they end. */
const beginnings: Record<string, (server: Server, args: string[]) => Promise<unknown>> = {
  success: (_, args) => run(...args),
  'a failure': ({ sandbox }, args) => {
    sandbox.fail({ path: '/url/add', after: 3, times: 4, status: 400, body: { error: 1, message: 'No.' } })
    return run(...args)
  },
  'lost responses': ({ sandbox }, args) => {
    sandbox.fail({ path: '/url/add', after: 3, times: 2, drop: 'after' })
    return run(...args)
  },
  'Ctrl+C': async ({ sandbox }, args) => {
    vi.stubEnv('SHORTLINK_RATE_LIMIT', '4')
    const running = run(...args)
    await vi.waitFor(() => expect(sandbox.data.links.length).toBeGreaterThan(2), 20_000)
    pressCtrlC()
    await running
    vi.stubEnv('SHORTLINK_RATE_LIMIT', 'off')
  },
}

const cases = Object.keys(beginnings).flatMap((beginning) =>
  [
    ['the original', 'the result'],
    ['the result', 'the original'],
  ].map(([first, second]) => [beginning, first!, second!] as const),
)

it.each(cases)('after %s, importing %s and then %s creates one link for each row', async (beginning, first, second) => {
  const server = await setUp()
  const { sandbox, write, path } = server
  const rows = Array.from({ length: 10 }, (_, index) => `${shop(`${index % 8}`)},note ${index}\n`)
  const original = await write('links.csv', `url,Note\n${rows.join('')}`)
  await beginnings[beginning]!(server, ['import', original, '--out', path('r.csv')])
  const files: Record<string, string> = { 'the original': original, 'the result': path('r.csv') }
  for (const [index, name] of [first, second].entries()) {
    const { status } = await run('import', files[name]!, '--out', path(`next-${index}.csv`))
    expect(status).toBe(0)
    expect(sandbox.data.links).toHaveLength(10)
  }
})
