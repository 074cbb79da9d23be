import { pixelTypes } from '../../resources/pixels.ts'
import { isRecord } from '../../schema/expected.ts'
import { type Deviation, deviations } from '../../testing/index.ts'
import { bodyOf, type Examination, textOf } from './examine.ts'

/** How a deviation shows in the account and in a page of each list. The others are not here. */
const signs: Partial<Record<Deviation, (seen: Seen) => boolean>> = {
  'bot-wall-beget': ({ wallCookie }) => wallCookie === 'beget=begetok',
  'key-as-token': ({ scheme }) => scheme === 'Token',
  'key-raw': ({ scheme }) => scheme === 'raw',

  'limit-refused': ({ isLimitRefused }) => isLimitRefused,
  'limit-ignored': ({ isLimitRefused, perpage }) => !isLimitRefused && perpage === 15,
  'limit-capped': ({ perpage }) => perpage < 100 && perpage !== 15,

  'extra-keys': ({ fields }) => fields.some(([name]) => ['planid', 'views'].includes(name)),
  'unknown-types': ({ rows }) =>
    rows('overlays').some(({ type }) => !['message', 'contact'].includes(String(type))) ||
    rows('pixels').some(({ type }) => !pixelTypes.some((known) => known === type)),
  'absent-as-null': ({ optional }) => optional.includes(null),
  'absent-as-missing': ({ optional }) => optional.includes(undefined),
  'older-link-rows': ({ rows }) => rows('links').some((row) => !('uniqueclicks' in row)),

  'count-too-high': ({ pages }) =>
    pages.some(({ nextpage, currentpage, maxpage }) => nextpage === null && Number(maxpage) > Number(currentpage)),
  'nextpage-repeats': ({ pages }) =>
    pages.some(({ nextpage, currentpage }) => nextpage !== null && Number(nextpage) === Number(currentpage)),

  'booleans-as-digits': ({ values }) => values('public', 'starred').some((value) => /^[01]$/.test(String(value))),
  'numbers-as-strings': ({ values }) => values('result').some(isDigits),
  'ids-sometimes-strings': ({ values }) => values('id').some(isDigits) && !values('result').some(isDigits),
  'lists-with-gaps': ({ lists, page }) => lists.some(({ name }) => isRecord(page(name).list)),

  'overlay-key': ({ page }) => 'overlay' in page('overlays.list()').page,

  'error-as-number': ({ errors }) => errors.includes(0),
  'error-as-string': ({ accountError }) => accountError === '0',
  'error-as-boolean': ({ errors }) => errors.includes(false),
  'error-missing': ({ errors }) => errors.includes(undefined),

  'key-refused-with-403': ({ calls }) => calls.some(({ name, status }) => name === 'account.get()' && status === 403),
  'rate-headers-hidden': ({ calls }) =>
    calls.every(({ exchanges }) => !exchanges.some(({ headers }) => headers.has('X-RateLimit-Limit'))),
}

/** The deviations that show, and those that are not looked for. */
export function deviationsOf(examination: Examination): { seen: Deviation[]; notLookedFor: Deviation[] } {
  const seen = seenOf(examination)
  const names = Object.keys(deviations) as Deviation[]
  // Without a list, nothing can be said but how the server is reached.
  const isVisible = (name: Deviation) => seen.lists.length > 0 || /^(bot|key)-/.test(name)
  return {
    seen: names.filter((name) => isVisible(name) && signs[name]?.(seen)),
    notLookedFor: names.filter((name) => !isVisible(name) || !signs[name]),
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
  const page = (name: string) => examination.pageOf(name)
  const rows = (name: string) => page(`${name}.list()`).rows
  const lists = calls.filter(({ name, kind }) => kind === 'ok' && 'perpage' in page(name).page)
  const pages = lists.map(({ name }) => page(name).page)
  const account = bodyOf(examination.find('account.get()'))
  const objects = [account?.data, ...pages, ...lists.flatMap(({ name }) => page(name).rows)].filter(isRecord)
  const fields = objects.flatMap((object) => Object.entries(object))
  return {
    ...{ calls, scheme, page, rows, lists, pages, fields },
    values: (...names: string[]) => fields.flatMap(([name, value]) => (names.includes(name) ? [value] : [])),
    wallCookie: wallCookieOf(examination),
    isLimitRefused: lists.some(({ exchanges }) => exchanges.length > 1),
    /** Of 100 rows that were asked for. Without a limit, it is 15. */
    perpage: Number(pages[0]?.perpage),
    accountError: account?.error,
    errors: lists.map((call) => bodyOf(call)?.error),
    /** What may be absent of the account and the domains. */
    optional: [
      ...(isRecord(account?.data) ? [account.data.expires] : []),
      ...rows('domains').flatMap((row) => [row.redirectroot, row.redirect404]),
    ],
  }
}

const isDigits = (value: unknown) => /^\d+$/.test(textOf(value))
