/** Files whose rows have links already, according to the journal of another file. */
import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import { serve } from 'shortlink-sdk/node'
import { createSandbox } from 'shortlink-sdk/testing'
import { expect, test, vi } from 'vitest'
import { run, setUp, shop } from './run.ts'

test('a copy of a file under a new name is refused before anything is sent, with both commands', async () => {
  const { sandbox, write, path } = await setUp()
  const rows = [`${shop('tea')},`, `${shop('cake')},cake`, `${shop('lamps')},`]
  const first = await write('links.csv', `url,custom\n${rows.join('\n')}\n`)
  await run('import', first, '--out', path('r.csv'))
  const sent = sandbox.requests.length
  const copy = await write('copy.csv', `url,custom\n${rows.join('\n')}\n${shop('new')},\n`)
  for (const option of ['--dry-run', '--no-aliases']) {
    const { status, stderr } = await run('import', copy, option)
    expect(status).toBe(2)
    const journal = path('links.csv.journal')
    expect(stderr).toContain(
      `2 rows of ${copy} (2, 4) have links already, says ${journal}. To go on with that import: `,
    )
    expect(stderr).toContain(`shortlink import ${copy} --journal ${journal}`)
    expect(stderr).toContain(`To create second links: shortlink import ${copy} --journal ${copy}.journal`)
  }
  expect(sandbox.requests).toHaveLength(sent)
  const goOn = await run('import', copy, '--journal', path('links.csv.journal'))
  expect(goOn.stderr).toContain('1 created, 0 already existed, unchanged, 0 failed; 3 done before')
  const again = await run('import', copy, '--journal', `${copy}.journal`)
  expect(again.stderr).toContain('3 created, 1 already existed, unchanged, 0 failed')
  // From now on, the copy has a journal of its own.
  expect((await run('import', copy)).stderr).toContain('4 done before, nothing sent')
})

test('the result of an import, a file in another folder and a journal of another server are no copies', async () => {
  const { sandbox, write, path } = await setUp()
  const text = `url\n${shop('tea')}\n${shop('tea')}\n`
  const first = await write('links.csv', text)
  sandbox.fail({ method: 'POST', after: 1, body: { error: 1, message: 'No.' } })
  await run('import', first, '--out', path('r.csv'))
  expect((await run('import', path('r.csv'), '--out', path('r2.csv'))).status).toBe(0)
  expect(sandbox.data.links).toHaveLength(2)
  await mkdir(path('other'))
  await copyFile(first, path('other/links.csv'))
  expect((await run('import', path('other/links.csv'), '--out', path('r3.csv'))).status).toBe(0)
  const server = await serve(createSandbox())
  vi.stubEnv('SHORTLINK_BASE_URL', server.baseUrl)
  await writeFile(path('copy.csv'), text)
  expect((await run('import', path('copy.csv'), '--out', path('r4.csv'))).status).toBe(0)
  await server.close()
})
