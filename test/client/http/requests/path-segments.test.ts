/** No name or path can lead to another folder, even on a server that decodes it again. */
import { describe, expect, it } from 'vitest'
import { hasNoDotSegments, isPathSegment } from '../../../../src/client/checks/path-segment.ts'
import { connect } from '../../../helpers/client.ts'
import { failure } from '../../../helpers/outcome.ts'
import { serve } from '../../../helpers/server.ts'

const content = new Blob(['a'])
const done = { body: { error: 0, id: 1, shorturl: 'https://sho.rt/a' } }

/** Spellings of `..` and `/` that some server understands. */
const dots = ['..', '%2e%2e', '.%2E', '%252e%252e', '%25252e.']
const slashes = ['/', '\\', '%2f', '%2F', '%5c', '%252f', '%%32%66']

describe('a name', () => {
  it.each([...dots, '.', '..;a=b', '.%3b', '..%00', '..%00.pdf', '.\t.', 'a\r\nb', '', '.. '])(
    '%j is not a valid path segment',
    (name) => {
      expect(isPathSegment(name)).toBe(false)
    },
  )

  it.each(slashes)('that contains %j is not a valid path segment', (slash) => {
    for (const name of [`a${slash}b`, `${slash}a`, `a${slash}`, `${slash}${slash}`]) {
      expect(isPathSegment(name), name).toBe(false)
    }
  })

  it.each([
    'report.pdf',
    'Größe #1; draft.txt',
    '日本語 ⁄ 👩‍👩‍👧.pdf',
    '100%25.pdf',
    '%zz',
    '...',
    '.htaccess',
    'a..b',
    ';a',
    'ä%c3%a4',
  ])('%j is one path segment', (name) => {
    expect(isPathSegment(name)).toBe(true)
  })

  it('that is escaped more than seven times is not a valid path segment', () => {
    expect(isPathSegment(`%${'25'.repeat(6)}41`)).toBe(true)
    expect(isPathSegment(`%${'25'.repeat(7)}41`)).toBe(false)
  })

  it('of a megabyte of escapes is checked in linear time', () => {
    // A quadratic check would take hours.
    expect(isPathSegment(`%${'25'.repeat(500_000)}`)).toBe(false)
  })
})

describe('a path', () => {
  it.each(dots.flatMap((dot) => ['/', '%2f', '%252F', '%5c'].map((slash) => `/urls${slash}${dot}${slash}account`)))(
    '%j may lead to a parent folder',
    (path) => {
      expect(hasNoDotSegments(path)).toBe(false)
    },
  )

  it.each(['/urls', '/url/1/', '/a%2Fb', '/a..b/.c', '/...', '/100%25', '/a//b'])('%j stays in its folder', (path) => {
    expect(hasNoDotSegments(path)).toBe(true)
  })
})

describe('before anything is sent, the client refuses', () => {
  it.each(['../../campaign/1/assign/5', '..%2f..%2faccount', '%252e%252e', 'a/b.txt', 'C:\\a.txt', 'a%2Fb', '..;'])(
    'the file name %j',
    async (name) => {
      const server = await serve(done)
      const error = await failure(connect(server).files.upload(name, content))
      expect(error).toMatchObject({ code: 'invalid_request', outcome: 'not-sent' })
      expect(error.message).toMatch(
        /^POST .*: filename: expected a file name, such as .*: a server could read it as a path$/,
      )
      expect(server.seen).toEqual([])
    },
  )

  it.each(['..', '../account', 'tea%2Fcake', 'tea\\cake'])('the alias %j of a link or a file', async (custom) => {
    const server = await serve(done)
    const shop = connect(server).links
    const calls = [
      connect(server).files.upload('a.txt', content, { custom }),
      shop.create({ url: 'https://shop.example', custom }),
    ]
    for (const error of await Promise.all(calls.map(failure))) {
      expect(error).toMatchObject({ code: 'invalid_request', outcome: 'not-sent' })
      expect(error.message).toContain('custom: expected an alias, such as opening, received ')
    }
    expect(server.seen).toEqual([])
  })
})

it.each(['a b & c?#d;é 100%.txt', '100%25.txt'])('the server receives the file name %j unchanged', async (name) => {
  const server = await serve(done)
  await connect(server).files.upload(name, content)
  expect(decodeURIComponent(server.seen[0]!.url)).toBe(`/api/files/upload/${name}`)
})
