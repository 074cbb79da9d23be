import { rateHeaders } from '../../rate-limit/headers.ts'
import { isRecord } from '../../schema/expected.ts'
import { countOrZero, counts, flag, integer, rowsOf, texts } from '../../schema/fields.ts'
import { type Deviation, deviations } from '../../testing/index.ts'
import type { Call, Examination, Reply } from './examine.ts'
import { numberOf, type ReadPage, unknownWords } from './lists.ts'
import { absentFields, type Field, fieldsOf, hasExtraKeys } from './samples.ts'

/** Whether a deviation was seen, or why that cannot be told. */
type Sight = boolean | string

/** Whether any of these shows a deviation, or why there are none. */
function anyOf<T>(these: readonly T[], shows: (one: T) => boolean, none: string): Sight {
  return these.length > 0 ? these.some(shows) : none
}

/** Why nothing but walls can be told of. */
export const NO_LIST = 'no list was read'
const NO_LIMIT = 'no list was read with a limit'
const NO_ROW = 'no row was read'
const NO_ROWS = 'no list has two rows'
const NO_LINK = 'no link was read'
const NO_MAP = 'no empty map was read'
const NO_REFUSAL = 'nothing but keys was refused'

/** Only POST, PUT and DELETE show it, which the doctor does not send. */
const WRITING = 'needs writing'

/** The signs of each deviation. The compiler refuses a deviation that is not here. */
function signsOf(seen: Examination): Record<Deviation, Sight> {
  const { calls, pages, limits, samples, scheme } = seen
  const management = seen.management.filter(isAnswered)
  const successes = management.filter(({ reply }) => reply.ok)
  const refusals = management.filter(({ reply }) => !reply.ok)
  const refusedKeys = refusals.filter(({ purpose }) => purpose === 'wrong key')
  const refusedReads = refusals.filter(({ purpose }) => purpose === 'unknown id' || purpose === 'limit')
  const messages = refusals.map(({ reply }) => String(reply.body.message ?? ''))
  const sentences = messages.filter((message) => /\S\s+\S/.test(message))
  const singles = (path: string) => successes.filter((call) => call.purpose === 'single' && call.path === path)
  const qrCodes = singles('/qr/:id').map(({ reply }) => reply.body.details)
  const socialCounts = singles('/url/:id').map(({ reply }) => isRecord(reply.body.data) && reply.body.data.socialCount)

  const pagesOf = (path: string) => pages.filter(({ list }) => list.path === path)
  const longPages = pages.filter(({ rows }) => rows.length > 1)
  const typedPages = pages.filter(({ list, rows }) => list.types && list.path !== '/channel/:id' && rows.length > 0)
  const links = pagesOf('/urls').flatMap(({ rows }) => rows)
  const searches = links.length > 0 ? management.filter(({ path }) => path === '/urls?short=') : []
  const { hundred, one, normal, oneIsLater } = sizesOf(seen)
  const hasBoth = hundred !== undefined && one !== undefined
  const isIgnored = hundred === normal && one === normal

  const documented = samples.filter(({ inReference }) => inReference)
  const fields = fieldsOf(samples)
  const flags = fields.filter(({ schema, value }) => schema === flag && (value ?? undefined) !== undefined)
  const maps = fields.filter(({ schema, value }) => (schema === counts || schema === texts) && isEmptyMap(value))
  const topMaps = maps.filter(({ name }) => name.startsWith('top'))
  const integers = fields.filter(({ schema }) => schema === integer || schema === countOrZero)
  const numbers = integers.filter(({ value }) => numberOf(value) !== undefined)
  const ids = numbers.filter(({ name }) => name === 'id')
  const otherNumbers = numbers.filter(({ name }) => name !== 'id')

  return {
    'bot-wall-beget': calls[0]?.message?.includes("'beget=begetok'") === true,
    'key-as-token': scheme === 'Token',
    'key-raw': scheme === 'raw',

    'limit-refused': anyOf(limits, ({ reply }) => !reply.ok, NO_LIST),
    'limit-ignored': hasBoth ? isIgnored : NO_LIMIT,
    'limit-forgotten': hasBoth && oneIsLater ? hundred !== normal && one !== 1 : NO_ROWS,
    'limit-capped': hundred === undefined ? NO_LIMIT : hundred < 100 && !isIgnored,
    'short-ignored': anyOf(searches, (call) => (linksIn(call)?.length ?? 0) > 0, NO_LINK),
    'short-as-list': anyOf(searches, (call) => linksIn(call)?.length === 0, NO_LINK),

    'alias-ignored': WRITING,
    'alias-slugged': WRITING,
    'alias-case-ignored': WRITING,
    'same-url-same-link': WRITING,
    'extra-keys': anyOf(documented, hasExtraKeys, NO_ROW),
    'unknown-types': anyOf(typedPages, (page) => unknownWords(page).length > 0, 'no overlay or pixel was read'),
    'absent-as-null': anyOf(documented, (sample) => absentFields(sample).some((name) => name in sample.raw), NO_ROW),
    'absent-as-missing': anyOf(
      documented,
      (sample) => !absentFields(sample).every((name) => name in sample.raw),
      NO_ROW,
    ),
    'older-link-rows': anyOf(links.filter(isRecord).slice(0, 1), isOlderLink, NO_LINK),
    'channel-update-echoes': WRITING,
    'message-missing': WRITING,
    'messages-translated': sentences.length > 0 ? !sentences.some(isEnglish) : 'no refusal has a message',

    'count-too-high': anyOf(pages, endsEarly, NO_LIST),
    'nextpage-repeats': anyOf(lastPages(seen), (page) => nextOf(page) === 'the page itself', 'no last page was read'),

    'booleans-as-digits': anyOf(flags, ({ value }) => /^[01]$/.test(String(value)), 'no campaign or channel was read'),
    'numbers-as-strings': anyOf(otherNumbers, isString, NO_LIST),
    'ids-sometimes-strings': (ids.some(isString) && !otherNumbers.some(isString)) || mixedIds(ids),
    'empty-maps-as-lists': anyOf(maps, ({ value }) => Array.isArray(value), NO_MAP),
    'empty-maps-as-zero': anyOf(topMaps, ({ value }) => typeof value !== 'object', NO_MAP),
    'lists-with-gaps': anyOf(longPages, ({ value }) => isRecord(value), NO_ROWS),

    'overlay-key': anyOf(pagesOf('/overlay'), ({ page }) => has(page, 'overlay', 'cta'), 'the overlays were not read'),
    'campaign-key': WRITING,
    'upload-id-under-1': WRITING,
    'qr-date-under-data': anyOf(qrCodes.filter(isRecord), (code) => has(code, 'data', 'date'), 'no QR code was read'),
    'link-create-short': WRITING,
    'link-update-short': WRITING,
    'social-google': anyOf(socialCounts.filter(isRecord), (count) => has(count, 'google', 'instagram'), NO_LINK),

    'error-as-number': anyOf(successes.filter(isList), ({ reply }) => reply.body.error === 0, NO_LIST),
    'error-as-string': anyOf(
      management.filter((call) => !call.reply.ok || !isList(call)),
      ({ reply }) => reply.body.error === '0' || reply.body.error === '1',
      'nothing but lists was read',
    ),
    'error-as-boolean': calls.some(({ reply }) => typeof reply?.body.error === 'boolean'),
    'error-missing': successes.some(({ reply }) => !('error' in reply.body)),

    'key-refused-with-403': anyOf(refusedKeys, ({ reply }) => reply.status === 403, 'no wrong key was refused'),
    'error-as-status': anyOf(refusedReads, ({ reply }) => Number(reply.body.error) >= 400, NO_REFUSAL),
    'refusals-in-200': anyOf(refusedReads, ({ status }) => status === 200, NO_REFUSAL),

    'rate-headers-hidden': !management.some(({ headers }) => hasRate(headers)),
  }
}

type Answered = Call & { readonly reply: Reply }

const isAnswered = (call: Call): call is Answered => call.reply !== undefined

const isList = ({ reply: { body } }: Answered) => 'perpage' in (isRecord(body.data) ? body.data : body)

/** The links of a list that a search has brought; `undefined`: it brought something else. */
function linksIn({ reply: { ok, body } }: Answered): unknown[] | undefined {
  const { data, urls } = body
  return ok ? rowsOf(isRecord(data) ? data.urls : (urls ?? data)) : undefined
}

const isOlderLink = (row: object) => ['uniqueclicks', 'domain', 'campaign', 'channel'].some((key) => !(key in row))

/** Whether a value stands under another key than the documented one. */
const has = (object: object, other: string, documented: string) => other in object && !(documented in object)

const isString = ({ value }: Field) => typeof value === 'string'

/** An empty map of statistics, in whichever spelling. */
const isEmptyMap = (value: unknown) =>
  typeof value === 'object' && value !== null ? Object.keys(value).length === 0 : value === 0 || value === '0'

/** Whether the ids of any list are partly strings. */
function mixedIds(ids: readonly Field[]): Sight {
  const columns = [...new Set(ids.map(({ where }) => where))].map((place) => ids.filter(({ where }) => where === place))
  const long = columns.filter(({ length }) => length > 1)
  return anyOf(long, (column) => column.some(isString) && !column.every(isString), NO_ROWS)
}

/** Whether a message has a word that English has, and no other common language: a guess. */
function isEnglish(message: string): boolean {
  const words =
    /\b(access|already|and|are|be|cannot|can't|denied|does|exist|exists|expired|failed|forbidden|found|have|invalid|key|missing|must|not|please|provided|request|required|the|there|this|try|unauthorized|unknown|user|valid|was|with|wrong|you|your)\b/i
  return words.test(message)
}

const hasRate = (headers: Headers) => headers.has(rateHeaders.limit) || headers.has(rateHeaders.remaining)

/** What a server shows even if it lets nobody read a list. */
const walls: readonly Deviation[] = ['bot-wall-beget', 'key-as-token', 'key-raw']

/** The deviations: those that were seen, those that could not be seen here, and those that only POST, PUT and DELETE show. */
export function deviationsOf(seen: Examination) {
  const signs = signsOf(seen)
  const names = Object.keys(deviations) as Deviation[]
  const looked = names.filter((name) => signs[name] !== WRITING)
  const sightOf = (name: Deviation) => (seen.pages.length > 0 || walls.includes(name) ? signs[name] : NO_LIST)
  return {
    deviations: looked.filter((name) => sightOf(name) === true),
    notVisible: looked.flatMap((name) => {
      const why = sightOf(name)
      return typeof why === 'string' ? [{ name, why }] : []
    }),
    notLookedFor: names.filter((name) => signs[name] === WRITING),
  }
}

/** Rows on a page of the list that was asked with limits: with `limit=100`, with `limit=1`, and without one. */
export function sizesOf({ limits, pages }: Examination) {
  const [hundred, one] = [100, 1].map((limit) => limits.find(({ asked }) => asked.limit === limit))
  const normal = pages.find(({ list }) => list === (hundred ?? one)?.page?.list)
  return {
    hundred: hundred?.page && sizeOf(hundred.page),
    one: one?.page && sizeOf(one.page),
    normal: normal && sizeOf(normal),
    oneIsLater: one?.asked.page !== undefined,
  }
}

/** Rows on a full page: as the server says, unless its rows, or its other numbers, show something else. */
export function sizeOf(read: ReadPage): number | undefined {
  const { page, rows } = read
  const [said, total, current, last] = [page.perpage, page.result, page.currentpage, page.maxpage].map(numberOf)
  if (!said) return rows.length || undefined
  if (total === undefined || current === undefined || endsEarly(read)) return Math.max(said, rows.length)
  const expected = Math.min(said, Math.max(0, total - (current - 1) * said))
  const count = Math.max(1, Math.ceil(total / said))
  const fits = rows.length <= said && rows.length >= expected / 2 && (last === undefined || Math.max(1, last) === count)
  return fits || rows.length === 0 ? said : rows.length
}

/** The pages behind which there is no other. */
export function lastPages({ pages, limits }: Examination): ReadPage[] {
  // Not a number is not greater than anything.
  const number = (value: unknown) => numberOf(value) ?? Number.NaN
  const read = [...pages, ...limits.flatMap(({ page }) => page ?? [])]
  return read.filter(({ page }) => number(page.currentpage) >= number(page.maxpage))
}

/** Whether a page has no next one, though there are more. */
function endsEarly({ page: { nextpage, currentpage, maxpage } }: ReadPage): boolean {
  return nextpage === null && (numberOf(currentpage) ?? 0) < (numberOf(maxpage) ?? 0)
}

/** What `nextpage` of a last page is. */
export function nextOf({ page: { nextpage, currentpage } }: ReadPage): string {
  if (nextpage === undefined) return 'missing'
  if (nextpage === null || nextpage === '') return 'null'
  const next = numberOf(nextpage)
  return next !== undefined && next === numberOf(currentpage) ? 'the page itself' : 'another page'
}
