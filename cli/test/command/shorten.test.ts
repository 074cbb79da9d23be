import { Readable } from 'node:stream'
import { expect, test, vi } from 'vitest'
import { run, setUp, shop } from './run.ts'

test('shorten prints one short address per line, in the order of the URLs', async () => {
  const { sandbox } = await setUp()
  const urls = ['a', 'b', 'c'].map(shop)
  const { status, stdout } = await run('shorten', ...urls)
  expect(status).toBe(0)
  const aliases = urls.map((url) => sandbox.data.links.find((link) => link.longurl === url)!.alias)
  expect(stdout).toBe(aliases.map((alias) => `https://sho.rt/${alias}\n`).join(''))
})

test('shorten continues after an invalid URL, and prints an empty line or an entry with the error for it', async () => {
  const { sandbox } = await setUp()
  const first = await run('shorten', shop('a'), 'nonsense', shop('b'))
  expect(first.status).toBe(1)
  const [a, b] = sandbox.data.links.map(({ alias }) => `https://sho.rt/${alias}`)
  expect(first.stdout).toBe(`${a}\n\n${b}\n`)
  expect(first.stderr).toMatch(/^nonsense: url: expected an absolute URL.*\nshortlink shorten: 1 URL failed\n$/)
  const { stdout } = await run('shorten', 'nonsense', shop('c'), '--json')
  expect(JSON.parse(stdout)).toEqual([
    { url: 'nonsense', error: expect.stringContaining('expected an absolute URL') },
    { url: shop('c'), shorturl: `https://sho.rt/${sandbox.data.links[2]!.alias}`, created: true },
  ])
})

test('shorten accepts an alias and a domain', async () => {
  const { sandbox } = await setUp({ data: { links: [], domains: [{ domain: 'https://go.example' }] } })
  const one = await run('shorten', shop('tea'), '--alias', '007', '--domain', 'https://go.example')
  expect(one).toEqual({ status: 0, stdout: 'https://go.example/007\n', stderr: '' })
  expect(sandbox.data.links).toHaveLength(1)
})

test('shorten creates a new link each time, with an alias chosen by the server', async () => {
  const { sandbox } = await setUp()
  const first = await run('shorten', shop('tea'))
  expect((await run('shorten', shop('tea'))).stdout).not.toBe(first.stdout)
  expect(sandbox.requests.map(({ body }) => body)).toEqual([{ url: shop('tea') }, { url: shop('tea') }])
})

test('shorten --alias reports that it found an existing link', async () => {
  const { sandbox } = await setUp({ data: { links: [{ alias: 'tea', url: shop('tea') }] } })
  const { status, stdout, stderr } = await run('shorten', shop('tea'), '--alias', 'tea', '--json')
  expect(status).toBe(0)
  expect(JSON.parse(stdout)).toEqual([{ url: shop('tea'), shorturl: 'https://sho.rt/tea', created: false }])
  expect(stderr).toBe('0 created, 1 found and not changed, 0 failed\n')
  expect(sandbox.data.links).toHaveLength(1)
})

test('shorten --alias and import end at the first link that the server creates with another alias', async () => {
  const { sandbox, write } = await setUp({ dialect: ['alias-ignored'] })
  const one = await run('shorten', shop('tea'), '--alias', 'tea')
  expect(one).toMatchObject({ status: 1, stdout: '' })
  expect(one.stderr).toMatch(/created https:\/\/sho\.rt\/\w+ \(id \d+\) instead of the alias "tea"/)
  const rows = Array.from({ length: 50 }, (_, index) => `${shop(String(index))},p-${index}\n`).join('')
  const { status, stdout, stderr } = await run('import', await write('links.csv', `url,custom\n${rows}`))
  expect(status).toBe(1)
  expect(stdout).toMatch(
    /p-0,,p-0,,unknown,".* instead of the alias ""p-0"".*",https:\/\/sho\.rt\/\w+,2\n.*p-1,,p-1,,not-sent,not tried yet,,\n/,
  )
  expect(stderr).toContain('0 created, 0 found and not changed, 1 failed, 49 not tried yet\n')
  expect(sandbox.data.links).toHaveLength(2)
})

test.each([[[]], [['-']]])(
  'shorten %j prints a line for every line of standard input, including empty lines',
  async (args) => {
    const { sandbox } = await setUp()
    const lines = [shop('a'), '', 'nonsense', shop('b'), ''].map((line) => `${line}\r\n`).join('')
    vi.spyOn(process, 'stdin', 'get').mockReturnValue(Readable.from([Buffer.from(lines)]) as never)
    const { stdout } = await run('shorten', ...args)
    vi.restoreAllMocks()
    const [a, b] = [shop('a'), shop('b')].map((url) => sandbox.data.links.find((link) => link.longurl === url)!.alias)
    expect(stdout).toBe(`https://sho.rt/${a}\n\n\nhttps://sho.rt/${b}\n\n`)
  },
)

test('an invisible character in a URL, an alias or a domain is an error, and it is not sent', async () => {
  const { sandbox } = await setUp()
  const url = `${shop('tea')}\u200b`
  const failed = await run('shorten', url, shop('a'), '--json')
  expect(failed.status).toBe(1)
  expect(JSON.parse(failed.stdout)[0].error).toBe('url: has the invisible character U+200B at position 25')
  const { requests } = sandbox
  const sent = requests.length
  for (const [option, value] of [
    ['alias', 'te\u200ba'],
    ['domain', 'go.\u200bexample'],
  ] as const) {
    const { status, stderr } = await run('shorten', shop('tea'), `--${option}`, value)
    expect(status).toBe(2)
    expect(stderr).toMatch(new RegExp(`${option}: has the invisible character U\\+200B at position \\d`))
  }
  expect(requests).toHaveLength(sent)
})
