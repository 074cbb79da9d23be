import { isRecord } from '../../schema/expected.ts'
import { countOrZero, counts, flag, integer, rowsOf, texts } from '../../schema/fields.ts'
import { type Deviation, deviations } from '../../testing/index.ts'
import type { Findings, Purpose, Reply } from './examine.ts'
import { numberOf, type ReadPage, unknownWords } from './lists.ts'
import { absentFields, extraKeys, fieldsOf } from './samples.ts'

/** Whether a deviation was seen, or why that cannot be told. */
type Sight = boolean | string

/** Whether any of these shows a deviation, or why there are none. */
function anyOf<T>(these: readonly T[], shows: (one: T) => boolean, none: string): Sight {
  return these.length > 0 ? these.some(shows) : none
}

/** Why nothing but walls can be told of. */
export const NO_LIST = 'no list was read'
const NO_LIMIT = 'no list was read with a limit'
const NO_ROWS = 'no list has two rows'
const NO_LINK = 'no link was read'
const NO_MAP = 'no empty map was read'
const NO_REFUSAL = 'nothing but keys was refused'

/** A deviation that only POST, PUT and DELETE show, which the doctor does not send. */
const WRITING = Symbol('needs writing')

/** How each deviation shows. The compiler refuses a deviation that is not here. */
const signs: Record<Deviation, typeof WRITING | ((findings: Findings) => Sight)> = {
  'bot-wall-beget': ({ calls }) => calls[0]?.message?.includes("'beget=begetok'") === true,
  'key-as-token': ({ scheme }) => scheme === 'Token',
  'key-raw': ({ scheme }) => scheme === 'raw',

  'limit-refused': ({ limits }) => anyOf(limits, ({ reply }) => !reply.ok, NO_LIST),
  'limit-ignored': (findings) => {
    const { hundred, one, normal } = pageSizes(findings)
    return hundred === undefined || one === undefined ? NO_LIMIT : hundred === normal && one === normal
  },
  'limit-forgotten': (findings) => {
    const { hundred, one, normal, oneIsLater } = pageSizes(findings)
    return hundred === undefined || one === undefined || !oneIsLater ? NO_ROWS : hundred !== normal && one !== 1
  },
  'limit-capped': (findings) => {
    const { hundred, one, normal } = pageSizes(findings)
    return hundred === undefined ? NO_LIMIT : hundred < 100 && !(hundred === normal && one === normal)
  },
  'short-ignored': (findings) => {
    const found = searchOf(findings)
    return found === undefined ? NO_LINK : found === 'links'
  },
  'short-as-list': (findings) => {
    const found = searchOf(findings)
    return found === undefined ? NO_LINK : found === 'no links'
  },

  'same-url-same-link': WRITING,
  'extra-keys': (findings) => anyOf(documented(findings), (sample) => extraKeys(sample).length > 0, 'no row was read'),
  'unknown-types': ({ pages }) => {
    const typed = pages.filter(({ list, rows }) => list.types && list.path !== '/channel/:id' && rows.length > 0)
    return anyOf(typed, (page) => unknownWords(page).length > 0, 'no overlay or pixel was read')
  },
  'absent-as-null': (findings) => absent(findings, 'null'),
  'absent-as-missing': (findings) => absent(findings, 'missing'),
  'older-link-rows': ({ pages }) => {
    const rows = pages.filter(({ list }) => list.path === '/urls').flatMap((page) => page.rows.filter(isRecord))
    const added = ['uniqueclicks', 'domain', 'campaign', 'channel']
    return anyOf(rows.slice(0, 1), (row) => added.some((key) => !(key in row)), NO_LINK)
  },
  'channel-update-echoes': WRITING,
  'message-missing': WRITING,
  'messages-translated': (findings) => {
    const messages = refusals(findings).map(({ body: { message } }) => String(message ?? ''))
    const sentences = messages.filter((message) => /\S\s+\S/.test(message))
    return sentences.length > 0 ? !sentences.some(isEnglish) : 'no refusal has a message'
  },

  'nextpage-repeats': (findings) => anyOf(lastPages(findings), repeatsItself, 'no last page was read'),

  'booleans-as-digits': ({ samples }) => {
    const flags = fieldsOf(samples).filter(({ schema, value }) => schema === flag && (value ?? undefined) !== undefined)
    return anyOf(flags, ({ value }) => /^[01]$/.test(String(value)), 'no campaign or channel was read')
  },
  'numbers-as-strings': (findings) => anyOf(integers(findings).others, isString, NO_LIST),
  'ids-sometimes-strings': (findings) => {
    const { ids, others } = integers(findings)
    const columns = new Set(ids.map(({ where }) => where))
    const lists = [...columns].map((column) => ids.filter(({ where }) => where === column))
    const isMixed = lists.some((list) => list.some(isString) && !list.every(isString))
    if (isMixed || (ids.some(isString) && !others.some(isString))) return true
    return lists.some(({ length }) => length > 1) ? false : NO_ROWS
  },
  'empty-maps-as-lists': (findings) => anyOf(emptyMaps(findings), ({ value }) => Array.isArray(value), NO_MAP),
  'empty-maps-as-zero': (findings) => {
    const tops = emptyMaps(findings).filter(({ name }) => name.startsWith('top'))
    return anyOf(tops, ({ value }) => typeof value !== 'object', NO_MAP)
  },
  'lists-with-gaps': ({ pages }) => {
    const long = pages.filter(({ rows }) => rows.length > 1)
    return anyOf(long, ({ value }) => isRecord(value), NO_ROWS)
  },

  'overlay-key': ({ pages }) => {
    const overlays = pages.filter(({ list }) => list.path === '/overlay')
    return anyOf(overlays, ({ page }) => 'overlay' in page && !('cta' in page), 'the overlays were not read')
  },
  'campaign-key': WRITING,
  'upload-id-under-1': WRITING,
  'qr-date-under-data': (findings) => {
    const { details } = single(findings, '/qr/:id')
    return isRecord(details) ? 'data' in details && !('date' in details) : 'no QR code was read'
  },
  'link-create-short': WRITING,
  'link-update-short': WRITING,
  'social-google': (findings) => {
    const { data } = single(findings, '/url/:id')
    const count = isRecord(data) ? data.socialCount : undefined
    return isRecord(count) ? 'google' in count && !('instagram' in count) : NO_LINK
  },

  'error-as-number': (findings) => anyOf(successes(findings).filter(isList), ({ body }) => body.error === 0, NO_LIST),
  'error-as-string': (findings) => {
    const others = [...successes(findings).filter((reply) => !isList(reply)), ...refusals(findings)]
    return anyOf(others, ({ body: { error } }) => error === '0' || error === '1', 'nothing but lists was read')
  },
  'error-as-boolean': ({ calls }) => calls.some(({ reply }) => typeof reply?.body.error === 'boolean'),
  'error-missing': (findings) => successes(findings).some(({ body }) => !('error' in body)),

  'key-refused-with-403': (findings) =>
    anyOf(refusals(findings, 'wrong key'), ({ status }) => status === 403, 'no wrong key was refused'),
  'error-as-status': (findings) =>
    anyOf(refusals(findings, 'unknown id', 'limit'), ({ body }) => Number(body.error) >= 400, NO_REFUSAL),
  'refusals-in-200': ({ calls }) => {
    const asked = calls.filter(({ purpose }) => purpose === 'unknown id' || purpose === 'limit')
    const refused = asked.filter(({ reply }) => reply?.ok === false)
    return anyOf(refused, ({ exchange }) => exchange.status === 200, NO_REFUSAL)
  },

  'rate-headers-hidden': ({ calls }) => {
    const names = ['X-RateLimit-Limit', 'X-RateLimit-Remaining']
    const read = calls.filter(({ reply, purpose }) => reply && purpose !== 'opener')
    return !read.some(({ exchange }) => names.some((name) => exchange.headers.has(name)))
  },
}

/** What a server shows even if it lets nobody read a list. */
const walls: readonly Deviation[] = ['bot-wall-beget', 'key-as-token', 'key-raw']

/** The deviations by what could be told of them. */
export interface Deviations {
  readonly deviations: readonly Deviation[]
  /** Those that could not be seen here, and why. */
  readonly notVisible: readonly { readonly name: Deviation; readonly why: string }[]
  /** Those that only POST, PUT and DELETE show. */
  readonly notLookedFor: readonly Deviation[]
}

export function deviationsOf(findings: Findings): Deviations {
  const names = Object.keys(deviations) as Deviation[]
  const seen = names.flatMap((name) => {
    const sign = signs[name]
    if (sign === WRITING) return []
    return [{ name, sight: findings.pages.length > 0 || walls.includes(name) ? sign(findings) : NO_LIST }]
  })
  return {
    deviations: seen.filter(({ sight }) => sight === true).map(({ name }) => name),
    notVisible: seen.flatMap(({ name, sight }) => (typeof sight === 'string' ? [{ name, why: sight }] : [])),
    notLookedFor: names.filter((name) => signs[name] === WRITING),
  }
}

/** How the lists of a server are paged; `null`: it cannot be told. */
export interface Pages {
  /** Rows on a page without a limit. */
  readonly defaultSize: number | null
  readonly limit: string | null
  /** The most rows on a page, if a limit of 100 is capped. */
  readonly cap: number | null
  /** What `nextpage` is on the last page. */
  readonly lastPage: 'null' | 'the page itself' | 'missing' | 'another page' | null
}

export function pagesOf(findings: Findings, { deviations: found }: Deviations): Pages {
  const { hundred, normal } = pageSizes(findings)
  const [first] = findings.pages
  const refused = findings.limits.filter(({ reply }) => !reply.ok)
  const isLarge = refused.length > 0 && refused.every(({ asked }) => asked.limit === 100)
  const deviation = found.find((name) => name.startsWith('limit-'))
  const taken = hundred === undefined ? null : 'taken'
  const isCapped = deviation === 'limit-capped'
  const [last] = lastPages(findings)
  return {
    defaultSize: normal ?? (first && sizeOf(first)) ?? null,
    limit: isLarge ? 'refused if it is large' : (deviation?.slice('limit-'.length) ?? taken),
    cap: (isCapped && hundred) || null,
    lastPage: last ? nextOf(last) : null,
  }
}

function nextOf(last: ReadPage): Pages['lastPage'] {
  const { nextpage } = last.page
  if (nextpage === undefined) return 'missing'
  if (nextpage === null || nextpage === '') return 'null'
  return repeatsItself(last) ? 'the page itself' : 'another page'
}

const lastPages = ({ pages, limits }: Findings): ReadPage[] =>
  [...pages, ...limits.flatMap(({ page }) => page ?? [])].filter(
    // Not a number is not greater than anything.
    ({ page }) => (numberOf(page.currentpage) ?? Number.NaN) >= (numberOf(page.maxpage) ?? Number.NaN),
  )

function repeatsItself({ page }: ReadPage): boolean {
  const next = numberOf(page.nextpage)
  return next !== undefined && next === numberOf(page.currentpage)
}

/** Rows on a page of the list that was asked with limits: with `limit=100`, with `limit=1`, and without one. */
function pageSizes({ limits, pages }: Findings) {
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
function sizeOf({ page, rows }: ReadPage): number | undefined {
  const [said, total, current, last] = [page.perpage, page.result, page.currentpage, page.maxpage].map(numberOf)
  if (!said) return rows.length || undefined
  if (total === undefined || current === undefined) return Math.max(said, rows.length)
  const expected = Math.min(said, Math.max(0, total - (current - 1) * said))
  const count = Math.max(1, Math.ceil(total / said))
  const fits = rows.length <= said && rows.length >= expected / 2 && (last === undefined || Math.max(1, last) === count)
  return fits || rows.length === 0 ? said : rows.length
}

const isList = ({ body }: Reply): boolean => 'perpage' in (isRecord(body.data) ? body.data : body)

const successes = ({ calls }: Findings): Reply[] =>
  calls.flatMap(({ reply, purpose }) => (reply?.ok && purpose !== 'opener' ? [reply] : []))

/** The refusals by the management API, of all calls or of those with these purposes. */
const refusals = ({ calls }: Findings, ...purposes: Purpose[]): Reply[] =>
  calls
    .filter(({ purpose }) => (purposes.length > 0 ? purposes.includes(purpose) : purpose !== 'opener'))
    .flatMap(({ reply }) => (reply?.ok === false ? [reply] : []))

const single = ({ calls }: Findings, path: string): Reply['body'] =>
  calls.find((call) => call.purpose === 'single' && call.path === path && call.reply?.ok)?.reply?.body ?? {}

const documented = ({ samples }: Findings) => samples.filter(({ inReference }) => inReference)

function absent(findings: Findings, how: 'null' | 'missing'): Sight {
  return anyOf(documented(findings), (sample) => absentFields(sample).includes(how), 'no row was read')
}

/** The fields that are integers, ids and others. */
function integers({ samples }: Findings) {
  const all = fieldsOf(samples).filter(
    ({ schema, value }) => (schema === integer || schema === countOrZero) && numberOf(value) !== undefined,
  )
  return { ids: all.filter(({ name }) => name === 'id'), others: all.filter(({ name }) => name !== 'id') }
}

const isString = ({ value }: { value: unknown }): boolean => typeof value === 'string'

/** The maps of statistics that are empty, in whichever spelling. */
const emptyMaps = ({ samples }: Findings) =>
  fieldsOf(samples)
    .filter(({ schema }) => schema === counts || schema === texts)
    .filter(({ value }) =>
      typeof value === 'object' && value !== null ? Object.keys(value).length === 0 : value === 0 || value === '0',
    )

/** What a search for a link that does not exist brings: a list with or without links, or anything else. */
function searchOf({ calls, pages }: Findings): 'links' | 'no links' | 'other' | undefined {
  const reply = calls.find(({ path }) => path === '/urls?short=')?.reply
  if (!reply || !pages.some(({ list, rows }) => list.path === '/urls' && rows.length > 0)) return undefined
  const { data, urls } = reply.body
  const found = reply.ok ? rowsOf(isRecord(data) ? data.urls : (urls ?? data)) : undefined
  return found ? (found.length > 0 ? 'links' : 'no links') : 'other'
}

/** Whether a message has a word that English has, and no other common language: a guess. */
function isEnglish(message: string): boolean {
  const words =
    /\b(access|already|and|are|be|cannot|can't|denied|does|exist|exists|expired|failed|forbidden|found|have|invalid|key|missing|must|not|please|provided|request|required|the|there|this|try|unauthorized|unknown|user|valid|was|with|wrong|you|your)\b/i
  return words.test(message)
}
