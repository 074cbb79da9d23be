import { pixelTypes } from '../../resources/pixels.ts'
import { isRecord } from '../../schema/expected.ts'
import { type Deviation, deviations } from '../../testing/index.ts'
import { bodyOf, type Call, type Examination, textOf } from './examine.ts'

/** How each deviation shows when something is read. Those that only writing shows are not here. */
const signs: Partial<Record<Deviation, (seen: Seen) => boolean>> = {
  'bot-wall-beget': ({ wallCookie }) => wallCookie === 'beget=begetok',
  'key-as-token': ({ scheme }) => scheme === 'Token',
  'key-raw': ({ scheme }) => scheme === 'raw',

  'limit-refused': ({ isLimitRefused }) => isLimitRefused,
  'limit-ignored': ({ isLimitRefused, perpage }) => !isLimitRefused && perpage.hundred < 100 && perpage.one > 1,
  'limit-forgotten': ({ perpage }) => perpage.hundred >= 100 && perpage.one > 1,
  'limit-capped': ({ perpage }) => perpage.hundred < 100 && perpage.one === 1,
  'short-ignored': ({ found }) => found !== undefined && found.length > 0,
  'short-as-list': ({ found }) => found?.length === 0,

  'extra-keys': ({ fields }) => fields.some(([name]) => ['planid', 'views', 'linkedin'].includes(name)),
  'unknown-types': ({ rows }) =>
    rows('overlays').some(({ type }) => !['message', 'contact'].includes(String(type))) ||
    rows('pixels').some(({ type }) => !pixelTypes.some((known) => known === type)),
  'absent-as-null': ({ optional }) => optional.includes(null),
  'absent-as-missing': ({ optional }) => optional.includes(undefined),
  'older-link-rows': ({ rows }) => rows('links').some((row) => !('uniqueclicks' in row)),
  'messages-translated': ({ messages }) => messages.length > 0 && !messages.some((message) => english.test(message)),

  'count-too-high': ({ pages }) =>
    pages.some(({ nextpage, currentpage, maxpage }) => nextpage === null && Number(maxpage) > Number(currentpage)),
  'nextpage-repeats': ({ pages }) => pages.some((page) => isSame(page.nextpage, page.currentpage)),

  'booleans-as-digits': ({ values }) => values('public', 'starred').some((value) => /^[01]$/.test(String(value))),
  'numbers-as-strings': ({ counts }) => counts.some(isDigits),
  'ids-sometimes-strings': ({ counts, values }) => values('id').some(isDigits) && !counts.some(isDigits),
  'empty-maps-as-lists': ({ maps }) => maps.some(Array.isArray),
  'empty-maps-as-zero': ({ maps }) => maps.some((value) => isSame(value, 0)),
  'lists-with-gaps': ({ lists }) => lists.some(isRecord),

  'overlay-key': ({ page }) => 'overlay' in page('overlays'),
  'qr-date-under-data': ({ qrDetails }) => isRecord(qrDetails) && 'data' in qrDetails && !('date' in qrDetails),
  'social-google': ({ values }) => values('socialCount').some((counts) => isRecord(counts) && 'google' in counts),

  'error-as-number': ({ listErrors }) => listErrors.includes(0),
  'error-as-string': ({ otherErrors }) => otherErrors.some((error) => error === '0' || error === '1'),
  'error-as-boolean': ({ listErrors, otherErrors }) =>
    [...listErrors, ...otherErrors].some((error) => typeof error === 'boolean'),
  'error-missing': ({ listErrors }) => listErrors.includes(undefined),

  'key-refused-with-403': ({ calls }) => calls.some(({ name, status }) => name === 'account.get()' && status === 403),
  'error-as-status': ({ refusals }) => refusals.some((call) => Number(bodyOf(call)?.error) >= 400),
  'refusals-in-200': ({ refusals }) => refusals.some(({ exchanges }) => exchanges.at(-1)!.status === 200),

  'rate-headers-hidden': ({ calls }) =>
    calls.every(({ exchanges }) => !exchanges.some(({ headers }) => headers.has('X-RateLimit-Limit'))),
}

/** The deviations that show, and those that reading cannot show. */
export function deviationsOf(examination: Examination): { seen: Deviation[]; notVisible: Deviation[] } {
  const seen = seenOf(examination)
  const names = Object.keys(deviations) as Deviation[]
  // Without a list, nothing can be said but how the server is reached.
  const isReached = seen.pages.length > 0
  const isVisible = (name: Deviation) => isReached || /^(bot|key)-/.test(name)
  return {
    seen: names.filter((name) => isVisible(name) && signs[name]?.(seen)),
    notVisible: names.filter((name) => !isVisible(name) || !signs[name]),
  }
}

/** The cookie that a page of a bot wall sets before it loads itself again. */
export function wallCookieOf({ calls }: Examination): string | undefined {
  const page = textOf(calls[0]?.exchanges[0]?.body).slice(0, 100_000)
  return /document\.cookie ?= ?["']([\w-]{1,40}=[\w-]{1,40})/.exec(page)?.[1]
}

type Seen = ReturnType<typeof seenOf>

/** What was seen, as the signs ask for it. */
function seenOf(examination: Examination) {
  const { calls, scheme } = examination
  const answered = calls.filter(({ kind }) => kind === 'ok')
  const lists = answered.filter(({ name }) => 'perpage' in examination.pageOf(name).page)
  const others = calls.filter((call) => ['ok', 'refused'].includes(call.kind) && !lists.includes(call))
  const refusals = calls.filter(({ kind, status }) => kind === 'refused' && status !== 401 && status !== 403)
  const fields = answered.flatMap((call) => fieldsOf(bodyOf(call)))
  const values = (...names: string[]) => fields.flatMap(([name, value]) => (names.includes(name) ? [value] : []))
  const page = (name: string) => examination.pageOf(`${name}.list()`).page
  const rows = (name: string) => examination.pageOf(`${name}.list()`).rows
  const account = bodyOf(examination.find('account.get()'))?.data
  const search = examination.find('a search for an unknown alias')
  const isList = search?.kind === 'ok' && examination.pageOf(search.name).list !== undefined
  const messages = refusals.map((call) => textOf(bodyOf(call)?.message)).filter((message) => /\S\s+\S/.test(message))
  const perpageOf = (name: string) => Number(examination.pageOf(name).page.perpage)
  const errorOf = (call: Call) => bodyOf(call)?.error
  return {
    ...{ calls, scheme, refusals, fields, values, page, rows, messages },
    wallCookie: wallCookieOf(examination),
    pages: lists.map(({ name }) => examination.pageOf(name).page),
    lists: lists.map(({ name }) => examination.pageOf(name).list),
    listErrors: lists.map(errorOf),
    otherErrors: others.map(errorOf),
    isLimitRefused: lists.some(({ exchanges }) => exchanges.length > 1),
    perpage: { hundred: perpageOf(lists[0]?.name ?? ''), one: perpageOf('the second page of one row') },
    /** The links that a search for an unknown alias gave, if that is a list. */
    found: isList ? examination.pageOf(search.name).rows : undefined,
    /** What may be absent of the account and the domains. */
    optional: [
      ...(isRecord(account) ? [account.expires] : []),
      ...rows('domains').flatMap((row) => [row.redirectroot, row.redirect404]),
    ],
    counts: values('result', 'perpage', 'clicks', 'scans', 'downloads'),
    maps: fields.flatMap(([name, value]) => (/^top[A-Z]/.test(name) ? [value] : [])),
    qrDetails: bodyOf(examination.find('qr.get(id)'))?.details,
  }
}

/** The fields of a response, with those of the objects and lists in it. No documented response is nested deeper. */
function fieldsOf(value: unknown, depth = 6): [name: string, value: unknown][] {
  if (typeof value !== 'object' || value === null || depth === 0) return []
  return Object.entries(value).flatMap(([name, inner]) => [[name, inner], ...fieldsOf(inner, depth - 1)] as const) as [
    string,
    unknown,
  ][]
}

const isDigits = (value: unknown) => /^\d+$/.test(textOf(value))

/** Whether both are the same number, which servers also send as a string. */
const isSame = (one: unknown, other: unknown) =>
  ['string', 'number'].includes(typeof one) && one !== '' && Number(one) === Number(other)

/** Words that English refusals have. */
const english = /\b(not|no|is|are|the|was|found|exists?|invalid|unknown|please|valid|required)\b/i
