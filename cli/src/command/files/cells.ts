import { aliasIn, hostOf } from '../../addresses.ts'
import { formatValue, hiddenProblem, isRecord } from '../../text.ts'
import { cellText } from '../output.ts'

/** The columns whose cells hold JSON, if they are not plain. */
const jsonColumns = ['pixels', 'channel', 'deeplink', 'geotarget', 'devicetarget', 'languagetarget', 'parameters']

/** The columns whose cells are addresses, parts of them, or have them. */
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

/** Returns whether a cell is empty, or has a word of databases for that. */
export const isNothing = (text: string): boolean => text === '' || text === 'NULL' || text === '\\N'

/** The cells of a spreadsheet whose formula fails, in English, German, French and Spanish. */
const formulaError =
  /^#(REF!|NAME\?|VALUE!|DIV\/0!|N\/A|NUM!|NULL!|SPILL!|CALC!|ERROR!|FIELD!|BLOCKED!|CONNECT!|BUSY!|GETTING_DATA|UNKNOWN!|BEZUG!|WERT!|ZAHL!|NV|NOM\?|VALEUR!|NOMBRE!|¡REF!|¿NOMBRE\?|¡VALOR!|¡DIV\/0!)$/

/** Returns why a cell cannot be sent; `undefined` if nothing is wrong with it as far as its text shows. */
export function cellProblem(parameter: string, text: string): string | undefined {
  if (formulaError.test(text.trim())) return `${parameter}: ${text.trim()} is an error of the spreadsheet`
  const hidden = addressColumns.includes(parameter.replace(/\..*/, '')) ? hiddenProblem(text) : undefined
  return hidden && `${parameter}: ${hidden}`
}

const months =
  'jan jän janv feb févr mär märz mar mars mrz apr avr abr may mai mag jun juin giu jul juil lug aug août aout ago sep sept set oct okt ott nov dec déc dez dic ene gen'
const month = `(${months.replaceAll(' ', '|')})\\.?`

/** What spreadsheets make of aliases that look like a number, a date, a time or a truth value, in several languages. */
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

/** The longest alias that a spreadsheet makes. */
const MAX_MANGLED = 40

/** Returns whether a cell is what a spreadsheet makes of an alias that it takes for something else. */
export function isMangled(cell: unknown): boolean {
  const text = cellText(cell).trim()
  return typeof cell === 'boolean' || (text.length <= MAX_MANGLED && mangled.some((form) => form.test(text)))
}

/** Returns whether a number is all that is left of an alias, such as 7 of `007`. */
export const isNumberOf = (text: string, alias: string): boolean =>
  /^\d+$/.test(text) && text !== alias && alias !== '' && Number(text) === Number(alias)

/** The parts of an address that may lack its scheme: its host, and those of its path. */
const partsOf = (address: string): string[] =>
  address
    .replace(/^https?:\/\//i, '')
    .replace(/\/$/, '')
    .split('/')

const isHost = (text = '') => /^[^\s?#]+$/.test(text) && /.\../.test(text)

/** Returns the alias in the address of a cell; `undefined` if that is no host with one part of a path. */
function aliasInShortAddress(cell: string): string | undefined {
  const [host, alias, ...more] = partsOf(cell)
  return isHost(host) && alias && !/[?#]/.test(alias) && more.length === 0 ? (aliasIn(cell) ?? undefined) : undefined
}

/**
 * Returns the last part of a short address; `undefined` if a text is none.
 *
 * @param url the address that the row leads to: another page of its site is no short address
 */
export function lastPartOf(text: string, url: string): string | undefined {
  const [host, ...path] = partsOf(text.trim())
  const isShort = isHost(host) && path.length > 0 && !/[\s?#]/.test(path.join(''))
  return isShort && (path.length === 1 || hostOf(text) !== hostOf(url))
    ? (aliasIn(`https://host/${path.at(-1)}`) ?? undefined)
    : undefined
}

/** Returns the value of a cell, as it is sent. */
export function readCell(parameter: string, cell: unknown): unknown {
  if (typeof cell !== 'string') return parameter === 'custom' ? cellText(cell) : targetList(parameter, cell)
  // Some exports have the whole short address where others have the alias.
  if (parameter === 'custom') return aliasInShortAddress(cell) ?? cell
  if (parameter === 'status' || parameter === 'type') return cell.toLowerCase()
  return jsonColumns.includes(parameter) && /^[[{]/.test(cell) ? targetList(parameter, parseJson(cell)) : cell
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Returns targets that are an object, as details of links have them, in the form that is sent. */
function targetList(parameter: string, value: unknown): unknown {
  const [, kind] = /^(location|device|language)target$/.exec(parameter.replace('geo', 'location')) ?? []
  if (!kind || !isRecord(value)) return value
  return Object.entries(value).map(([name, link]) => ({ [kind]: name, link }))
}

const dateForms = 'YYYY-MM-DD HH:MM:SS, without seconds, with T, or YYYY-MM-DD for its last second'

export function dateProblem(value: unknown): string {
  const given = cellText(value).trim()
  const [zone] = /(?<=\d)(Z|[+-]\d\d:?\d\d)$/i.exec(given.includes(':') ? given : '') ?? []
  const why = zone ? `: the platform has no time zones, so leave out ${zone}` : ''
  return `expiry: expected ${dateForms}, received ${formatValue(value)}${why}`
}

/** Returns a date and time in the form of the platform; `undefined` if a value is not a date in an accepted form. */
export function readDate(value: unknown): string | undefined {
  const [, date, time, seconds] =
    /^(\d{4}-\d\d-\d\d)(?:[ T]((?:[01]\d|2[0-3]):[0-5]\d)(:[0-5]\d)?)?$/.exec(cellText(value).trim()) ?? []
  // JavaScript reads 2026-02-30 as 2 March.
  if (date === undefined || !new Date(`${date}T00:00Z`).toJSON()?.startsWith(date)) return undefined
  return time === undefined ? `${date} 23:59:59` : `${date} ${time}${seconds ?? ':00'}`
}
