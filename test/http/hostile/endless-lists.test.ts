import { describe, expect, it } from 'vitest'
import { numberOf, page, splash } from '../../helpers/answers.ts'
import { connect } from '../../helpers/client.ts'
import { failure } from '../../helpers/outcome.ts'
import { type Answering, serve } from '../../helpers/server.ts'

const maxpage = 1_000_000_000

/** A list of a billion pages, whose rows depend on the number of the page. */
const endless =
  (rowsOf: (number: number) => unknown, numbers: (number: number) => Record<string, unknown> = () => ({})): Answering =>
  ({ url }) => {
    const currentpage = numberOf(url)
    const standard = { result: 1e12, perpage: 2, currentpage, nextpage: currentpage + 1, maxpage }
    return page('splash', rowsOf(currentpage), { ...standard, ...numbers(currentpage) })
  }

const anonymous = { title: 'No id' }

describe('a list without end', () => {
  it.each<[string, rowsOf: (number: number) => unknown, pagesWithNewRows: number, numbers?: object]>([
    ['the same rows', () => [splash(1), splash(2)], 1],
    ['no rows', () => [], 0],
    ['no rows and counts none', () => [], 0, { result: 0 }],
    ['an empty map of rows', () => ({}), 0],
    ['the same rows in turn', (number) => [splash(1 + (number % 3))], 3],
  ])(
    'that repeats %s ends with an error after five pages without a new row',
    async (_, rowsOf, pagesWithNewRows, numbers) => {
      const server = await serve(endless(rowsOf, () => ({ ...numbers })))
      const error = await failure(connect(server).splash.list().toArray())
      const pages = pagesWithNewRows + 5
      const why = `page ${pages} is the 5th in a row without a new row, of ${maxpage} pages`
      const issues = [{ path: ['currentpage'], message: why }]
      expect(error).toMatchObject({ code: 'invalid_response', path: '/splash', status: 200, issues })
      expect(server.seen).toHaveLength(pages)
    },
  )

  it('that repeats rows without an id ends with an error after a few pages', async () => {
    const server = await serve(endless(() => [anonymous, anonymous]))
    const rows = connect(server).paginate('/splash', { listKey: 'splash' })
    expect((await failure(rows.toArray())).message).toContain('without a new row')
    expect(server.seen.length).toBeLessThan(20)
  })

  it('that repeats the same rows ends so with several pages in flight too', async () => {
    const server = await serve(endless(() => [splash(1)]))
    const error = await failure(connect(server).splash.list({}, { concurrency: 4 }).toArray())
    expect(error.message).toContain('without a new row')
    expect(server.seen.length).toBeLessThan(20)
  })

  it.each<[string, Record<string, unknown>]>([
    ['repeats the current page as the next', { nextpage: 1 }],
    ['leads back', { nextpage: -1 }],
  ])('that %s is one page', async (_, numbers) => {
    const server = await serve(
      endless(
        () => [splash(1)],
        () => numbers,
      ),
    )
    expect(await connect(server).splash.list().toArray()).toHaveLength(1)
    expect(server.seen).toHaveLength(1)
  })

  it('that always answers with its first page ends with an error', async () => {
    const server = await serve(
      endless(
        () => [splash(1)],
        () => ({ currentpage: 1, nextpage: 2 }),
      ),
    )
    const error = await failure(connect(server).splash.list().toArray())
    expect(error).toMatchObject({ code: 'invalid_response' })
    expect(error.message).toContain('requested page 2')
    expect(server.seen).toHaveLength(2)
  })

  it('of new rows costs no request after the loop is left', async () => {
    const server = await serve(endless((number) => [splash(2 * number), splash(2 * number + 1)]))
    expect(await connect(server).splash.list().toArray({ limit: 7 })).toHaveLength(7)
    expect(server.seen).toHaveLength(4)
  })

  it.each<[string, perpage: (number: number) => number]>([
    ['are said to become smaller and smaller', (number) => Math.max(1, 100 - number)],
    ['are said to be large, and then are small', (number) => (number === 1 ? 1e15 : 1)],
  ])('whose pages %s ends with an error once nothing new comes', async (_, perpage) => {
    const sizes = (number: number) => ({ perpage: perpage(number), maxpage: maxpage + number })
    const server = await serve(endless(() => [splash(1)], sizes))
    expect((await failure(connect(server).splash.list().toArray())).message).toContain('without a new row')
    expect(server.seen).toHaveLength(6)
  })
})
