import { InvalidRequestError } from './errors.ts'
import { boolean, type Checks, checkParams, httpUrl, required, wellFormedString } from './schema/checks.ts'
import { isRecord } from './schema/expected.ts'

/**
 * Texts in the formats that QR code readers understand, for the `data` of a QR code of `type: 'text'`. They work on every
 * server, unlike the platform's other types, because the layout of their `data` is not documented.
 *
 * @example
 * import { qrText } from 'shortlink-sdk/qr-text'
 * const data = qrText.wifi({ ssid: 'Shop guests', password: 'tea; and cake' })
 * const { link } = await client.qr.create({ type: 'text', data })
 * console.log(link)
 *
 * @throws {InvalidRequestError} if a parameter is missing or invalid
 */
export const qrText = { wifi, vcard, mailto, tel, sms }

/** A Wi-Fi network. */
export interface WifiText {
  ssid: string
  /** The password of WPA, WPA2 or WPA3. Default: none, for an open network. */
  password?: string | undefined
  /** Whether the network hides its name. Default `false`. */
  hidden?: boolean | undefined
}

/** A person or an organization. A `firstName`, a `lastName` or an `organization` is required. */
export interface VcardText {
  firstName?: string | undefined
  lastName?: string | undefined
  organization?: string | undefined
  /** The position, such as `Head of sales`. */
  title?: string | undefined
  phone?: string | readonly string[] | undefined
  email?: string | readonly string[] | undefined
  /** An absolute URL. */
  url?: string | undefined
  address?:
    | {
        street?: string | undefined
        city?: string | undefined
        region?: string | undefined
        postalCode?: string | undefined
        country?: string | undefined
      }
    | undefined
  note?: string | undefined
}

/** An email. */
export interface MailtoText {
  to: string | readonly string[]
  cc?: string | readonly string[] | undefined
  bcc?: string | readonly string[] | undefined
  subject?: string | undefined
  body?: string | undefined
}

/** A text message. */
export interface SmsText {
  /** The phone number of the recipient; see {@link tel}. */
  to: string
  body?: string | undefined
}

/**
 * A text that joins a Wi-Fi network: `WIFI:T:WPA;S:Shop guests;P:tea\; and cake;;`, as ZXing defines it
 * (https://github.com/zxing/zxing/wiki/Barcode-Contents) and phones read it.
 *
 * @throws {InvalidRequestError} if a parameter is missing or invalid
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
 * A text that adds a contact: a vCard 3.0 (RFC 2426), the version that most readers support. Its lines are not folded,
 * because some readers do not unfold them.
 *
 * @throws {InvalidRequestError} if a parameter is missing or invalid
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
    // N and FN are required. A contact without a name of a person uses the organization.
    `N:${vcardText(lastName)};${vcardText(firstName)};;;`,
    ...line('FN', [firstName, lastName].filter(Boolean).join(' ') || organization),
    ...line('ORG', organization),
    ...line('TITLE', title),
    ...listOf(phone).flatMap((number) => line('TEL', number)),
    ...listOf(email).flatMap((to) => line('EMAIL', to)),
    // A URI has no vCard escapes.
    ...(url ? [`URL:${new URL(url).href}`] : []),
    ...line('ADR', '', '', street, city, region, postalCode, country),
    ...line('NOTE', note),
    'END:VCARD',
    '',
  ].join('\r\n')
}

/**
 * A text that starts an email: `mailto:owner@shop.example?subject=Opening%20day` (RFC 6068).
 *
 * @throws {InvalidRequestError} if a parameter is missing or invalid
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
 * A text that calls a phone number: `tel:+4930901820` (RFC 3966). Include the country code: a number without it, such as
 * `112`, works in its own country only.
 *
 * @throws {InvalidRequestError} if the number is invalid
 */
function tel(number: string): string {
  check({ number }, { number: required(phoneNumber) })
  return `tel:${digitsOf(number)}`
}

/**
 * A text that starts a text message: `smsto:+4930901820:Opening day`, as ZXing defines it
 * (https://github.com/zxing/zxing/wiki/Barcode-Contents). More readers understand it than the `sms:` of RFC 5724. The
 * message is not escaped: it is everything after the second colon.
 *
 * @throws {InvalidRequestError} if a parameter is missing or invalid
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

/** A string, or a non-empty list of strings, each of which fits. */
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

/** Escapes a text as RFC 2426 requires. */
const vcardText = (value: string): string => value.replace(/[\\;,]/g, '\\$&').replace(/\r\n|\r|\n/g, '\\n')
