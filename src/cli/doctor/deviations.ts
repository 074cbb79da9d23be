import { isRecord } from '../../schema/expected.ts'
import { countOrZero, counts, flag, integer, rowsOf, texts } from '../../schema/fields.ts'
import { type Deviation, deviations } from '../../testing/index.ts'
import type { Call, Findings, Purpose, Reply } from './findings.ts'
import { numberOf } from './lists.ts'
import { allPages, isLastPage, pageSizes, repeatsItself } from './pages.ts'
import { absentFields, extraKeys, fieldsOf } from './samples.ts'
import { unknownWords } from './words.ts'

/** Whether a deviation was seen, or why it could not be. */
type Sight = boolean | string

/** A deviation shows only in the answers to POST, PUT and DELETE, which the doctor does not send. */
const NEEDS_WRITING = Symbol('needs writing')

/** How each deviation shows. The compiler refuses a deviation that is not classed here. */
const signs: Record<Deviation, typeof NEEDS_WRITING | ((findings: Findings) => Sight)> = {
  // Behind these, the doctor reads no list. If it read one, the server does not have them.
  'bot-wall-beget': () => false,
  'key-as-token': () => false,
  'key-raw': () => false,

  'limit-refused': ({ limits }) =>
    limits.length === 0 ? 'no list was answered' : limits.some(({ reply }) => !reply.ok),
  'limit-ignored': (findings) => {
    const { hundred, one, normal } = pageSizes(findings)
    if (hundred === undefined || one === undefined) return 'no list was answered with a limit'
    return hundred === normal && one === normal
  },
  'limit-forgotten': (findings) => {
    const { hundred, one, normal, oneIsLater } = pageSizes(findings)
    if (hundred === undefined || one === undefined || !oneIsLater)
      return 'no list with two rows was answered with a limit'
    return hundred !== normal && one !== 1
  },
  'limit-capped': (findings) => {
    const { hundred, one, normal } = pageSizes(findings)
    if (hundred === undefined) return 'no list was answered with a limit'
    return hundred < 100 && !(hundred === normal && one === normal)
  },
  'short-ignored': (findings) => {
    const answer = unknownLinkAnswer(findings)
    return answer ? answer === 'links' : 'no link was read'
  },
  'short-as-list': (findings) => {
    const answer = unknownLinkAnswer(findings)
    return answer ? answer === 'no links' : 'no link was read'
  },

  'same-url-same-link': NEEDS_WRITING,
  'extra-keys': ({ samples }) => {
    const shown = samples.filter(({ inReference }) => inReference)
    return shown.length === 0 ? 'no row was read' : shown.some((sample) => extraKeys(sample).length > 0)
  },
  'unknown-types': ({ pages }) => {
    const typed = pages.filter(({ list, rows }) => list.types && list.path !== '/channel/:id' && rows.length > 0)
    return typed.length === 0 ? 'no overlay or pixel was read' : typed.some((page) => unknownWords(page).length > 0)
  },
  'absent-as-null': ({ samples }) => absent(samples, true),
  'absent-as-missing': ({ samples }) => absent(samples, false),
  'older-link-rows': ({ pages }) => {
    const [row] = pages.find(({ list }) => list.path === '/urls')?.rows ?? []
    if (!isRecord(row)) return 'no link was read'
    return ['uniqueclicks', 'domain', 'campaign', 'channel'].some((key) => !(key in row))
  },
  'channel-update-echoes': NEEDS_WRITING,
  'message-missing': NEEDS_WRITING,
  'messages-translated': (findings) => {
    const messages = refusals(findings).flatMap(({ body: { message } }) =>
      typeof message === 'string' && /\S\s+\S/.test(message) ? [message] : [],
    )
    return messages.length === 0 ? 'no refusal has a message' : !messages.some(isEnglish)
  },

  'nextpage-repeats': (findings) => {
    const last = allPages(findings).filter(isLastPage)
    return last.length === 0 ? 'no last page was read' : last.some(repeatsItself)
  },

  'booleans-as-digits': ({ samples }) => {
    const flags = samples
      .flatMap(fieldsOf)
      .filter(({ schema, value }) => schema === flag && value !== undefined && value !== null)
    return flags.length === 0
      ? 'no campaign or channel was read'
      : flags.some(({ value }) => /^[01]$/.test(String(value)))
  },
  'numbers-as-strings': (findings) => {
    const counted = integers(findings).filter(({ name }) => name !== 'id')
    return counted.length === 0 ? 'no list was answered' : counted.some(isString)
  },
  'ids-sometimes-strings': (findings) => {
    const ids = integers(findings).filter(({ name }) => name === 'id')
    const others = integers(findings).filter(({ name }) => name !== 'id')
    const lists = grouped(ids)
    const isMixed = lists.some((list) => list.some(isString) && !list.every(isString))
    if (isMixed || (ids.some(isString) && !others.some(isString))) return true
    return lists.some(({ length }) => length > 1) ? false : 'no list has two rows'
  },
  'empty-maps-as-lists': (findings) => {
    const maps = emptyMaps(findings)
    return maps.length === 0 ? 'no empty map was read' : maps.some(({ value }) => Array.isArray(value))
  },
  'empty-maps-as-zero': (findings) => {
    const maps = emptyMaps(findings).filter(({ name }) => name.startsWith('top'))
    return maps.length === 0 ? 'no empty map was read' : maps.some(({ value }) => value === 0 || value === '0')
  },
  'lists-with-gaps': ({ pages }) => {
    const long = pages.filter(({ rows }) => rows.length > 1)
    return long.length === 0 ? 'no list has two rows' : long.some(({ value }) => isRecord(value))
  },

  'overlay-key': ({ pages }) => {
    const overlays = pages.find(({ list }) => list.path === '/overlay')
    return overlays ? 'overlay' in overlays.page && !('cta' in overlays.page) : 'the overlays were not read'
  },
  'campaign-key': NEEDS_WRITING,
  'upload-id-under-1': NEEDS_WRITING,
  'qr-date-under-data': (findings) => {
    const details = single(findings, '/qr/:id')?.body.details
    return isRecord(details) ? 'data' in details && !('date' in details) : 'no QR code was read'
  },
  'link-create-short': NEEDS_WRITING,
  'link-update-short': NEEDS_WRITING,
  'social-google': (findings) => {
    const data = single(findings, '/url/:id')?.body.data
    const count = isRecord(data) ? data.socialCount : undefined
    return isRecord(count) ? 'google' in count && !('instagram' in count) : 'no link was read'
  },

  'error-as-number': (findings) => {
    const answers = successes(findings).filter(isList)
    return answers.length === 0 ? 'no list was answered' : answers.some(({ body }) => body.error === 0)
  },
  'error-as-string': (findings) => {
    const others = [...successes(findings).filter((reply) => !isList(reply)), ...refusals(findings)]
    return others.length === 0
      ? 'nothing but lists was answered'
      : others.some(({ body }) => /^[01]$/.test(String(body.error)) && typeof body.error === 'string')
  },
  'error-as-boolean': ({ calls }) => calls.some(({ reply }) => typeof reply?.body.error === 'boolean'),
  'error-missing': (findings) => successes(findings).some(({ body }) => !('error' in body)),

  'key-refused-with-403': ({ calls }) => {
    const wrong = calls.find(({ purpose }) => purpose === 'wrong key')?.reply
    return !wrong || wrong.ok ? 'no wrong key was refused' : wrong.status === 403
  },
  'error-as-status': (findings) => {
    const said = refusals(findings, 'unknown id', 'limit')
    return said.length === 0 ? 'nothing but keys was refused' : said.some(({ body }) => Number(body.error) >= 400)
  },
  'refusals-in-200': ({ calls }) => {
    const refused = calls.filter(
      ({ purpose, reply }) => (purpose === 'unknown id' || purpose === 'limit') && reply?.ok === false,
    )
    return refused.length === 0
      ? 'nothing but keys was refused'
      : refused.some(({ exchange }) => exchange.status === 200)
  },

  'rate-headers-hidden': ({ calls }) => {
    const answered = calls.filter(({ reply, purpose }) => reply && purpose !== 'opener')
    return answered.length === 0
      ? 'nothing was answered'
      : !answered.some(
          ({ exchange }) => exchange.headers.has('X-RateLimit-Limit') || exchange.headers.has('X-RateLimit-Remaining'),
        )
  },
}

/** The deviations by what could be told of them. */
export interface Deviations {
  readonly found: readonly Deviation[]
  /** Those that could not be seen here, and why. */
  readonly notVisible: readonly { readonly name: Deviation; readonly why: string }[]
  /** Those that only POST, PUT and DELETE show. */
  readonly notLookedFor: readonly Deviation[]
}

export function deviationsOf(findings: Findings): Deviations {
  const names = Object.keys(deviations) as Deviation[]
  const seen = names.flatMap((name) => {
    const sign = signs[name]
    if (sign === NEEDS_WRITING) return []
    return [{ name, sight: findings.pages.length > 0 ? sign(findings) : 'no list was answered' }]
  })
  return {
    found: seen.filter(({ sight }) => sight === true).map(({ name }) => name),
    notVisible: seen.flatMap(({ name, sight }) => (typeof sight === 'string' ? [{ name, why: sight }] : [])),
    notLookedFor: names.filter((name) => signs[name] === NEEDS_WRITING),
  }
}

const isList = ({ body }: Reply): boolean => 'perpage' in (isRecord(body.data) ? body.data : body)

const successes = ({ calls }: Findings): Reply[] =>
  calls.flatMap(({ reply, purpose }) => (reply?.ok && purpose !== 'opener' ? [reply] : []))

/** The refusals by the management API, of all calls or of those with these purposes. */
const refusals = ({ calls }: Findings, ...purposes: Purpose[]): Reply[] =>
  calls.flatMap(({ reply, purpose }: Call) =>
    reply?.ok === false && purpose !== 'opener' && (purposes.length === 0 || purposes.includes(purpose)) ? [reply] : [],
  )

const single = ({ calls }: Findings, path: string): Reply | undefined =>
  calls.find((call) => call.purpose === 'single' && call.path === path && call.reply?.ok)?.reply

const integers = ({ samples }: Findings) =>
  samples
    .flatMap(fieldsOf)
    .filter(({ schema, value }) => (schema === integer || schema === countOrZero) && numberOf(value) !== undefined)

/** Fields by where they stand. */
function grouped<T extends { where: string }>(fields: readonly T[]): T[][] {
  const groups = new Map<string, T[]>()
  for (const field of fields) {
    const group = groups.get(field.where)
    if (group) group.push(field)
    else groups.set(field.where, [field])
  }
  return [...groups.values()]
}

const isString = ({ value }: { value: unknown }): boolean => typeof value === 'string'

/** The maps of statistics that are empty, in whichever spelling. */
const emptyMaps = ({ samples }: Findings) =>
  samples
    .flatMap(fieldsOf)
    .filter(
      ({ schema, value }) =>
        (schema === counts || schema === texts) &&
        (value === 0 ||
          value === '0' ||
          (typeof value === 'object' && value !== null && Object.keys(value).length === 0)),
    )

function absent(samples: Findings['samples'], isNull: boolean): Sight {
  const fields = samples.flatMap(absentFields)
  if (samples.length === 0) return 'no row was read'
  return fields.some((field) => field.isNull === isNull)
}

/** The answer to a search for a link that does not exist: a list with or without links, or anything else. */
function unknownLinkAnswer({ calls, pages }: Findings): 'links' | 'no links' | 'other' | undefined {
  const reply = calls.find(({ purpose, path }) => purpose === 'unknown id' && path.startsWith('/urls'))?.reply
  const hasLinks = pages.some(({ list, rows }) => list.path === '/urls' && rows.length > 0)
  if (!reply || !hasLinks) return undefined
  const { data } = reply.body
  const rows = isRecord(data) ? data.urls : (reply.body.urls ?? data)
  const found = reply.ok ? rowsOf(rows) : undefined
  if (!found) return 'other'
  return found.length > 0 ? 'links' : 'no links'
}

/**
 * Whether a message has a word that English has, and no other common language. This is a guess; nothing else compares the
 * words of a server.
 */
function isEnglish(message: string): boolean {
  const words =
    /\b(access|already|and|are|be|cannot|can't|denied|does|exist|exists|expired|failed|forbidden|found|have|invalid|key|missing|must|not|please|provided|request|required|the|there|this|try|unauthorized|unknown|user|valid|was|with|wrong|you|your)\b/i
  return words.test(message)
}
