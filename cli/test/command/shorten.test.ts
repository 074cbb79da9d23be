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
  expect(stderr).toBe('0 created, 1 already existed, unchanged, 0 failed\n')
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
  expect(stderr).toContain('0 created, 0 already existed, unchanged, 1 failed, 49 not tried yet\n')
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

const pipe = (text: string) =>
  vi.spyOn(process, 'stdin', 'get').mockReturnValue(Readable.from([Buffer.from(text)]) as never)

test.each([
  ['a header', `url,custom\n${shop('a')},tea\n`, 'the first line is the header of a table: url,custom.'],
  ['a header after a comment', `\n# links\nurl\n${shop('a')}\n`, 'the first line is the header of a table: url.'],
  ['a header with semicolons', 'Titel;Long URL\n', 'the first line is the header of a table: Titel;Long URL.'],
  ['a header with tabs', `custom\turl\r\na\t${shop('a')}\r\n`, 'the first line is the header of a table: custom url.'],
  ['rows', `${shop('a')},tea\n${shop('b')},lamps\n`, 'each of the 2 lines has 1 comma, as in a table.'],
  [
    'rows with a comment and an empty line between',
    `a,${shop('a')},A\n# b\n\nb,${shop('b')},B\nc,${shop('c')},C`,
    'each of the 3 lines has 2 commas, as in a table.',
  ],
])('shorten refuses a table with %s, and names import', async (_, text, message) => {
  const { sandbox } = await setUp()
  for (const options of [[], ['--json']]) {
    pipe(text)
    const { status, stdout, stderr } = await run('shorten', ...options)
    expect(status).toBe(2)
    expect(stdout).toMatch(options.length > 0 ? /^{\n {2}"error": / : /^$/)
    expect(stderr).toContain(
      `shortlink shorten: ${message} Nothing was sent. To create a link for each row of a file, use`,
    )
    expect(stderr).toContain("use 'shortlink import FILE'")
  }
  expect(sandbox.requests).toEqual([])
})

test.each([
  ['one URL with commas', `${shop('a,b')}\n`, 'x'],
  ['URLs with and without commas', `${shop('a,b')}\n${shop('c')}\n`, 'xx'],
  ['URLs with different numbers of commas', `${shop('a,b')}\n${shop('c,d,e')}\n`, 'xx'],
  ['comments and empty lines', `# mine\n${shop('a')}\n\n  # ${shop('no')}\n${shop('b#c')}\n`, '-x--x'],
  ['a comment before URLs with commas', `#\n${shop('a,b')}\n#\n${shop('c')}\n`, '-x-x'],
])('shorten prints a line for each line of %s', async (_, text, lines) => {
  const { sandbox } = await setUp()
  pipe(text)
  const { status, stdout } = await run('shorten', '-')
  expect(status).toBe(0)
  const urls = text.split('\n').filter((line) => line.startsWith('https'))
  expect(sandbox.data.links.map(({ longurl }) => longurl).sort()).toEqual(urls.sort())
  const printed = stdout.split('\n').slice(0, -1)
  expect(printed.map((line) => (line === '' ? '-' : 'x')).join('')).toBe(lines)
})
