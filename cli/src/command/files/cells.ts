import { formatValue } from '../../../../src/client/checks/mismatch.ts'
import { getHost } from '../../../../src/client/links/match.ts'
import { parseAlias } from '../../../../src/client/runtime/short-address.ts'
import { isRecord } from '../../../../src/client/runtime/text.ts'
import { describeHiddenText } from '../../text.ts'
import { formatCell } from '../format-cell.ts'

/** The columns whose cells may contain JSON. */
const jsonColumns = ['pixels', 'channel', 'deeplink', 'geotarget', 'devicetarget', 'languagetarget', 'parameters']

/** The columns whose cells are or contain addresses, or parts of addresses. */
const addressColumns = [
  'url',
  'custom',
  'domain',
  'metaimage',
  'deeplink',
  'geotarget',
  'devicetarget',
  'languagetarget',
]

/** Returns whether a cell is empty, or a database export's text for NULL. */
export const isEmptyCell = (text: string): boolean => text === '' || text === 'NULL' || text === '\\N'

/** Cells of spreadsheets whose formula failed, in English, German, French and Spanish. */
const formulaError =
  /^#(REF!|NAME\?|VALUE!|DIV\/0!|N\/A|NUM!|NULL!|SPILL!|CALC!|ERROR!|FIELD!|BLOCKED!|CONNECT!|BUSY!|GETTING_DATA|UNKNOWN!|BEZUG!|WERT!|ZAHL!|NV|NOM\?|VALEUR!|NOMBRE!|¡REF!|¿NOMBRE\?|¡VALOR!|¡DIV\/0!)$/

/** Returns why a cell cannot be sent, or `undefined` if its text shows no problem. */
export function findCellProblem(parameter: string, text: string): string | undefined {
  if (formulaError.test(text.trim())) return `${parameter}: ${text.trim()} is a spreadsheet error`
  const hidden = addressColumns.includes(parameter.replace(/\..*/, '')) ? describeHiddenText(text) : undefined
  return hidden && `${parameter}: ${hidden}`
}

const months =
  'jan jän janv feb févr mär märz mar mars mrz apr avr abr may mai mag jun juin giu jul juil lug aug août aout ago sep sept set oct okt ott nov dec déc dez dic ene gen'
const month = `(${months.replaceAll(' ', '|')})\\.?`

/** Matches what spreadsheets write for aliases that look like a number, a date, a time or a boolean. */
const mangled = [
  /^-?\d+([.,]\d+)?E[+-]\d+$/i,
  /^\d+[.,]0+$/,
  /^(TRUE|FALSE|WAHR|FALSCH|VRAI|FAUX|VERDADERO|FALSO|VERO)$/,
  new RegExp(`^\\d{1,2}[-./ ]{1,2}${month}([-./ ]\\d{2,4})?$`, 'i'),
  new RegExp(`^${month}[-./ ]\\d{2,4}$`, 'i'),
  /^\d{1,2}\/\d{1,2}(\/\d{2,4})?$|^\d{1,2}\.\d{1,2}\.\d{4}$/,
  /^\d{4}-\d\d-\d\d[ T]\d\d:\d\d/,
  /^\d{1,2}:\d\d(:\d\d)?( ?[AP]M)?$/i,
]

/** The longest text that spreadsheets write for such an alias. */
const MAX_MANGLED = 40

/** Returns whether a cell looks like an alias that a spreadsheet changed, as it does with numbers and dates. */
export function isMangled(cell: unknown): boolean {
  const text = formatCell(cell).trim()
  return typeof cell === 'boolean' || (text.length <= MAX_MANGLED && mangled.some((form) => form.test(text)))
}

/** Returns whether a spreadsheet may have turned an alias into this number, such as `007` into 7. */
export const isNumericFormOf = (text: string, alias: string): boolean =>
  /^\d+$/.test(text) && text !== alias && alias !== '' && Number(text) === Number(alias)

/** Splits an address, with or without a scheme, into its host and the segments of its path. */
const splitAddress = (address: string): string[] =>
  address
    .replace(/^https?:\/\//i, '')
    .replace(/\/$/, '')
    .split('/')

const isHost = (text = '') => /^[^\s?#]+$/.test(text) && /.\../.test(text)

/** Returns the alias in a cell that is an address: a host and one path segment. Otherwise `undefined`. */
function parseShortAddress(cell: string): string | undefined {
  const [host, alias, ...more] = splitAddress(cell)
  return isHost(host) && alias && !/[?#]/.test(alias) && more.length === 0 ? (parseAlias(cell) ?? undefined) : undefined
}

/**
 * Returns the last path segment of a short address, or `undefined` if the text is not one.
 *
 * @param url the address that the row leads to. Other pages of the same site are not short addresses.
 */
export function getLastSegment(text: string, url: string): string | undefined {
  const [host, ...path] = splitAddress(text.trim())
  const isShort = isHost(host) && path.length > 0 && !/[\s?#]/.test(path.join(''))
  return isShort && (path.length === 1 || getHost(text) !== getHost(url))
    ? (parseAlias(`https://host/${path.at(-1)}`) ?? undefined)
    : undefined
}

/** Returns the alias in a cell. Some exports have the whole short address, or its path: `/tea`. */
export function readAliasCell(cell: string): string {
  const [, segment] = /^(?:\/([^/\s?#]+)\/?|([^/\s?#]+)\/)$/.exec(cell)?.filter((part) => part !== undefined) ?? []
  return parseShortAddress(cell) ?? (segment === undefined ? cell : (parseAlias(`https://host/${segment}`) ?? cell))
}

/** Returns the value to send for a cell. */
export function readCell(parameter: string, cell: unknown): unknown {
  if (typeof cell !== 'string') return parameter === 'custom' ? formatCell(cell) : toTargetList(parameter, cell)
  if (parameter === 'custom') return readAliasCell(cell)
  if (parameter === 'status' || parameter === 'type') return cell.toLowerCase()
  return jsonColumns.includes(parameter) && /^[[{]/.test(cell) ? toTargetList(parameter, parseJson(cell)) : cell
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Converts targets from an object, as in a link's details, to the list that is sent. */
function toTargetList(parameter: string, value: unknown): unknown {
  const [, kind] = /^(location|device|language)target$/.exec(parameter.replace('geo', 'location')) ?? []
  if (!kind || !isRecord(value)) return value
  return Object.entries(value).map(([name, link]) => ({ [kind]: name, link }))
}

const dateForms = 'YYYY-MM-DD HH:MM[:SS], or YYYY-MM-DD for the end of that day'

export function describeInvalidDate(value: unknown): string {
  const given = formatCell(value).trim()
  const [zone] = /(?<=\d)(Z|[+-]\d\d:?\d\d)$/i.exec(given.includes(':') ? given : '') ?? []
  const why = zone ? `: the platform has no time zones, so leave out ${zone}` : ''
  return `expiry: expected ${dateForms}, received ${formatValue(value)}${why}`
}

/** Converts a date to the format of the platform. Returns `undefined` if the value is not in an accepted format. */
export function parseDate(value: unknown): string | undefined {
  const [, date, time, seconds] =
    /^(\d{4}-\d\d-\d\d)(?:[ T]((?:[01]\d|2[0-3]):[0-5]\d)(:[0-5]\d)?)?$/.exec(formatCell(value).trim()) ?? []
  // JavaScript parses 2026-02-30 as March 2.
  if (date === undefined || !new Date(`${date}T00:00Z`).toJSON()?.startsWith(date)) return undefined
  return time === undefined ? `${date} 23:59:59` : `${date} ${time}${seconds ?? ':00'}`
}
