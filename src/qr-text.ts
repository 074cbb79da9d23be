import { InvalidRequestError } from './errors.ts'
import { boolean, type Checks, checkParams, httpUrl, required, wellFormedString } from './schema/checks.ts'
import { isRecord } from './schema/expected.ts'

/**
 * Texts that QR code readers understand by themselves, to be sent as the `data` of a QR code of `type: 'text'`. They work
 * on every deployment: how the platform lays out `data` for its other types is not documented.
 *
 * @example
 * import { qrText } from 'shortlink-sdk/qr-text'
 * const data = qrText.wifi({ ssid: 'Shop guests', password: 'tea; and cake' })
 * const { link } = await client.qr.create({ type: 'text', data })
 * console.log(link)
 *
 * @throws {InvalidRequestError} where a parameter does not fit
 */
export const qrText = { wifi, vcard, mailto, tel, sms }

/** A Wi-Fi network. */
export interface WifiText {
  ssid: string
  /** The password of WPA, WPA2 or WPA3. Default: none, for an open network. */
  password?: string
  /** Whether the network does not announce itself. Default `false`. */
  hidden?: boolean
}

/** A person or an organization. A name or an organization is required. */
export interface VcardText {
  firstName?: string
  lastName?: string
  organization?: string
  /** The position, such as `Head of sales`. */
  title?: string
  phone?: string | readonly string[]
  email?: string | readonly string[]
  /** An absolute URL. */
  url?: string
  address?: { street?: string; city?: string; region?: string; postalCode?: string; country?: string }
  note?: string
}

/** An email to be written. */
export interface MailtoText {
  to: string | readonly string[]
  cc?: string | readonly string[]
  bcc?: string | readonly string[]
  subject?: string
  body?: string
}

/** A text message to be written. */
export interface SmsText {
  /** The number that the message goes to; see {@link tel}. */
  to: string
  body?: string
}

/**
 * Joins a Wi-Fi network: `WIFI:T:WPA;S:Shop guests;P:tea\; and cake;;`, as ZXing defines it
 * (https://github.com/zxing/zxing/wiki/Barcode-Contents) and phones read it.
 *
 * @throws {InvalidRequestError} where a parameter does not fit
 */
function wifi(network: WifiText): string {
  check(network, { ssid: required(nonEmpty), password: { ...wellFormedString, secret: true }, hidden: boolean })
  const escaped = (value: string) => value.replace(/[\\;,":]/g, '\\$&')
  const { ssid, password, hidden } = network
  const security = password ? 'WPA' : 'nopass'
  const fields = [`T:${security}`, `S:${escaped(ssid)}`]
  if (password) fields.push(`P:${escaped(password)}`)
  if (hidden) fields.push('H:true')
  return `WIFI:${fields.join(';')};;`
}

/**
 * Adds a contact: a vCard 3.0 (RFC 2426), the version that most readers know. Its lines are not folded, which the RFC
 * allows, because some readers do not unfold them.
 *
 * @throws {InvalidRequestError} where a parameter does not fit
 */
function vcard(contact: VcardText): string {
  const name = isRecord(contact) ? contact.lastName || contact.firstName || contact.organization : undefined
  check(contact, vcardChecks)
  check({ organization: name }, { organization: required(someName) })
  const { firstName = '', lastName = '', organization, title, phone, email, url, address, note } = contact
  const { street, city, region, postalCode, country } = address ?? {}
  const line = (property: string, ...parts: (string | undefined)[]) =>
    parts.some(Boolean) ? [`${property}:${parts.map((part) => vcardText(part ?? '')).join(';')}`] : []
  return [
    'BEGIN:VCARD',
    'VERSION:3.0',
    // Both are required, the organization standing in for the name of a person.
    `N:${vcardText(lastName)};${vcardText(firstName)};;;`,
    ...line('FN', [firstName, lastName].filter(Boolean).join(' ') || organization),
    ...line('ORG', organization),
    ...line('TITLE', title),
    ...listOf(phone).flatMap((number) => line('TEL', number)),
    ...listOf(email).flatMap((to) => line('EMAIL', to)),
    // A URI, which has no escapes of its own.
    ...(url ? [`URL:${new URL(url).href}`] : []),
    ...line('ADR', '', '', street, city, region, postalCode, country),
    ...line('NOTE', note),
    'END:VCARD',
    '',
  ].join('\r\n')
}

/**
 * Writes an email: `mailto:owner@shop.example?subject=Opening%20day` (RFC 6068).
 *
 * @throws {InvalidRequestError} where a parameter does not fit
 */
function mailto(mail: MailtoText): string {
  check(mail, { to: required(emails), cc: emails, bcc: emails, subject: wellFormedString, body: wellFormedString })
  const { to, ...headers } = mail
  const addresses = (value: string | readonly string[] | undefined) =>
    listOf(value)
      .map((address) => address.split('@').map(encodeURIComponent).join('@'))
      .join(',')
  const fields = {
    cc: addresses(headers.cc),
    bcc: addresses(headers.bcc),
    subject: encodeURIComponent(headers.subject ?? ''),
    body: encodeURIComponent((headers.body ?? '').replace(/\r\n|\r|\n/g, '\r\n')),
  }
  const query = Object.entries(fields).flatMap(([name, value]) => (value ? [`${name}=${value}`] : []))
  return `mailto:${addresses(to)}${query.length ? `?${query.join('&')}` : ''}`
}

/**
 * Calls a number: `tel:+4930901820` (RFC 3966). The RFC asks for the country code; a number without it, such as `112`, is
 * understood in its own country only.
 *
 * @throws {InvalidRequestError} where the number does not fit
 */
function tel(number: string): string {
  check({ number }, { number: required(phoneNumber) })
  return `tel:${digitsOf(number)}`
}

/**
 * Writes a text message: `smsto:+4930901820:Opening day`, as ZXing defines it
 * (https://github.com/zxing/zxing/wiki/Barcode-Contents). More readers understand it than the `sms:` of RFC 5724. Nothing
 * is escaped: all that follows the second colon is the text.
 *
 * @throws {InvalidRequestError} where a parameter does not fit
 */
function sms(message: SmsText): string {
  check(message, { to: required(phoneNumber), body: wellFormedString })
  return `smsto:${digitsOf(message.to)}:${message.body ?? ''}`
}

const isText = (value: unknown): value is string => wellFormedString.fits(value)

const nonEmpty = {
  expected: 'a string that is not empty',
  fits: (value: unknown) => isText(value) && value !== '',
}

const someName = { ...nonEmpty, expected: 'an organization, a firstName or a lastName' }

/** All texts, or a list of them that is not empty. */
const oneOrMore = (fits: (value: string) => boolean) => (value: unknown) => {
  const values: unknown[] = Array.isArray(value) ? value : [value]
  return values.length > 0 && values.every((each) => isText(each) && fits(each))
}

const emails = {
  expected: 'an email address, or a list of them',
  fits: oneOrMore((value) => /^[^\s@]+@[^\s@]+$/.test(value)),
}

const phoneNumber = {
  expected: 'a phone number, such as +49 30 901820, without (0)',
  // Spaces and -.() between digits are visual separators.
  fits: (value: unknown) => isText(value) && /^\+?\d{1,15}$/.test(digitsOf(value)) && !value.includes('(0)'),
}

const addressFields = ['street', 'city', 'region', 'postalCode', 'country'] as const

const vcardChecks: Checks = {
  firstName: wellFormedString,
  lastName: wellFormedString,
  organization: wellFormedString,
  title: wellFormedString,
  phone: { expected: 'a string, or a list of strings', fits: oneOrMore((value) => value !== '') },
  email: emails,
  url: httpUrl,
  address: {
    expected: `an object of strings: ${addressFields.join(', ')}`,
    fits: (value: unknown) =>
      isRecord(value) && addressFields.every((name) => value[name] === undefined || isText(value[name])),
  },
  note: wellFormedString,
}

function check(params: unknown, checks: Checks): void {
  const issues = checkParams(params, checks)
  if (issues.length) throw new InvalidRequestError(issues)
}

const digitsOf = (number: string): string => number.replace(/[\s().-]/g, '')

const listOf = (value: string | readonly string[] | undefined): readonly string[] =>
  typeof value === 'string' ? [value] : (value ?? [])

/** Escaped as RFC 2426 asks for texts. */
const vcardText = (value: string): string => value.replace(/[\\;,]/g, '\\$&').replace(/\r\n|\r|\n/g, '\\n')
