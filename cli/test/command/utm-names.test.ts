import { expect, test } from 'vitest'
import { run, sentTo, setUp, shop } from './run.ts'

const a = { url: shop('a'), custom: 'a' }
const oneRow = (column: string, address = a.url) => `url,custom,${column}\n${address},a,x\n`

test.each([
  ['utm_source', 'utm_source'],
  ['UTM Medium', 'utm_medium'],
  ['utmCampaign', 'utm_campaign'],
  ['utm-term', 'utm_term'],
  ['Utm_Content', 'utm_content'],
  ['utm_id', 'utm_id'],
  ['utm_source_platform', 'utm_source_platform'],
  ['utm_creative_format', 'utm_creative_format'],
  ['utm_marketing_tactic', 'utm_marketing_tactic'],
  ['UTM Source Platform', 'utm_source_platform'],
  ['utmCreativeFormat', 'utm_creative_format'],
  ['utm_my_own', 'utm_my_own'],
  ['UTM My-Own', 'utm_my_own'],
  ['utmMyOwn', 'utm_my_own'],
])('a column %s is sent as the parameter %s, and the address may not contradict it', async (column, name) => {
  const { sandbox, write, path } = await setUp()
  expect((await run('import', await write('x.csv', oneRow(column)))).status).toBe(0)
  expect(sentTo(sandbox)).toEqual([{ ...a, parameters: [{ name, value: 'x' }] }])
  const other = await write('y.csv', oneRow(column, `${shop('b')}?${name}=other`))
  const { status, stdout } = await run('import', other, '--json', '--journal', path('j'))
  expect(status).toBe(1)
  const problem = `${name}: the url has "other", but the row has "x"`
  expect(JSON.parse(stdout)).toMatchObject([{ outcome: 'not-sent', error: problem }])
})

test.each([
  ['utm_campaing', 'utm_campaign'],
  ['utm_campain', 'utm_campaign'],
  ['UTM Campagne', 'utm_campaign'],
  ['utm_sorce', 'utm_source'],
  ['utm_sources', 'utm_source'],
  ['utm_meduim', 'utm_medium'],
  ['utm_trem', 'utm_term'],
  ['utm_contents', 'utm_content'],
  ['umt_source', 'utm_source'],
  ['utm_source_plattform', 'utm_source_platform'],
  ['utm_marketing_tactics', 'utm_marketing_tactic'],
])('a column %s is refused until --map says whether it is %s', async (column, name) => {
  const { sandbox, write } = await setUp()
  const file = await write('x.csv', oneRow(column))
  const { status, stderr } = await run('import', file)
  expect(status).toBe(2)
  const advice = `Use --map '${column}=${name}', or --map '${column}=' if it is something else`
  expect(stderr).toContain(
    `${file}, column ${column}: did you mean ${name}? ${advice}. For example: shortlink import ${file} --map`,
  )
  expect(sandbox.requests).toEqual([])
  const misspelled = await run('import', file, '--map', `url=${column}`)
  expect(misspelled.stderr).toContain(`--map: a link has no parameter '${column}', did you mean ${name}?`)
  const leftOut = await run('import', file, '--map', `${column}=`, '--dry-run')
  expect(leftOut.stderr).toContain(`not sent: ${column}\n`)
  expect((await run('import', file, '--map', `${column}=${name}`)).status).toBe(0)
  expect(sentTo(sandbox)).toEqual([{ ...a, parameters: [{ name, value: 'x' }] }])
})

test('--map keeps the name of a column that is close to a UTM parameter', async () => {
  const { sandbox, write } = await setUp()
  await run('import', await write('x.csv', oneRow('utm_cid')), '--map', 'utm_cid=utm_cid')
  expect(sentTo(sandbox)).toEqual([{ ...a, parameters: [{ name: 'utm_cid', value: 'x' }] }])
})
