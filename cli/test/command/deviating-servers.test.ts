/** Output of the commands with servers that store or refuse addresses in other ways than the reference. */
import { expect, test } from 'vitest'
import { run, setUp, shop } from './run.ts'

const words = 'You have reached the limit of your plan.'

test('an import prints the address that the server shows, and importing its result changes nothing', async () => {
  const { sandbox, write } = await setUp({
    dialect: ['url-lower-case'],
    data: { links: [{ alias: 'tea', url: shop('tea') }] },
  })
  const file = await write('links.csv', `url,custom\n${shop('Tea')},tea\n`)
  const { status, stdout, stderr } = await run('import', file)
  expect(status).toBe(0)
  expect(stdout).toContain(`,false,done,the server shows the url as ${shop('tea')}\n`)
  expect(stderr).toContain('1 link may differ from the row')
  const again = await run('import', await write('result.csv', stdout))
  expect(again).toMatchObject({ status: 0, stdout })
  expect(sandbox.data.links).toHaveLength(1)
})

test("an import that reaches the plan's limit ends with the server's message and without advice about the key", async () => {
  const { sandbox, write } = await setUp({ dialect: ['plan-limit'] })
  const rows = Array.from({ length: 100 }, (_, index) => `${shop(String(index))}\n`).join('')
  const file = await write('links.csv', `url\n${rows}`)
  const { status, stdout, stderr } = await run('import', file)
  expect(status).toBe(1)
  expect(stderr).toContain(`the server refused 5 items with the same message, so the rest was not tried: ${words}`)
  expect(stderr).toContain('5 created')
  expect(stdout + stderr).not.toContain('apiKey')
  expect(sandbox.requests.length).toBeLessThan(40)
  sandbox.data.links.splice(0)
})

test("shorten ends too when it reaches the plan's limit", async () => {
  const { sandbox } = await setUp({ dialect: ['plan-limit'] })
  const { status, stdout, stderr } = await run(
    'shorten',
    ...Array.from({ length: 50 }, (_, index) => shop(String(index))),
  )
  expect(status).toBe(1)
  expect(stdout.match(/sho\.rt/g)).toHaveLength(5)
  expect(stderr).toContain(words)
  expect(sandbox.requests.length).toBeLessThan(20)
})

test('shorten and import send URLs in ASCII to a server that accepts nothing else', async () => {
  const { sandbox, write } = await setUp({ dialect: ['url-ascii'] })
  expect(await run('shorten', shop('café'))).toMatchObject({ status: 0, stderr: '' })
  const file = await write('links.csv', `url,custom\n${shop('café')},coffee\n`)
  const first = await run('import', file)
  expect(first.status).toBe(0)
  expect(await run('import', await write('result.csv', first.stdout))).toMatchObject({
    status: 0,
    stdout: first.stdout,
  })
  expect(sandbox.data.links.map(({ longurl }) => longurl)).toEqual([shop('caf%C3%A9'), shop('caf%C3%A9')])
})

test('shorten reports an error if the server returns one short address for two URLs', async () => {
  await setUp({ dialect: ['url-existing'] })
  const { status, stdout, stderr } = await run('shorten', shop('Tea'), shop('tea'))
  expect(status).toBe(1)
  expect(stdout).toMatch(/^https:\/\/sho\.rt\/\w+\n\n$/)
  expect(stderr).toContain(`the short address of ${shop('Tea')}`)
})
