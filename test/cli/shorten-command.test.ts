import { expect, test } from 'vitest'
import { run, setUp } from './run.ts'

const shop = (name: string) => `https://shop.example/${name}`

test('shorten prints one short address a line, in the order of the URLs', async () => {
  const { sandbox } = await setUp()
  const urls = ['a', 'b', 'c'].map(shop)
  const { status, stdout } = await run('shorten', ...urls)
  expect(status).toBe(0)
  const aliases = urls.map((url) => sandbox.data.links.find((link) => link.longurl === url)!.alias)
  expect(stdout).toBe(aliases.map((alias) => `https://sho.rt/${alias}\n`).join(''))
})

test('shorten goes on after a URL that is none, with an empty line or an entry with its error', async () => {
  const { sandbox } = await setUp()
  const first = await run('shorten', shop('a'), 'nonsense', shop('b'))
  expect(first.status).toBe(1)
  const [a, b] = sandbox.data.links.map(({ alias }) => `https://sho.rt/${alias}`)
  expect(first.stdout).toBe(`${a}\n\n${b}\n`)
  expect(first.stderr).toMatch(/^nonsense: url: expected an absolute URL.*\nshortlink-sdk shorten: 1 URL failed\n$/)
  const { stdout } = await run('shorten', 'nonsense', shop('c'), '--json')
  expect(JSON.parse(stdout)).toEqual([
    { url: 'nonsense', error: expect.stringContaining('expected an absolute URL') },
    { url: shop('c'), shorturl: `https://sho.rt/${sandbox.data.links[2]!.alias}`, created: true },
  ])
})

test('shorten takes an alias and a domain', async () => {
  const { sandbox } = await setUp({ data: { links: [], domains: [{ domain: 'https://go.example' }] } })
  const one = await run('shorten', shop('tea'), '--alias', '007', '--domain', 'https://go.example')
  expect(one).toEqual({ status: 0, stdout: 'https://go.example/007\n', stderr: '' })
  expect(sandbox.data.links).toHaveLength(1)
})
