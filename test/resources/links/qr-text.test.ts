import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { InvalidRequestError } from '../../../src/index.ts'
import { qrText } from '../../../src/qr-text.ts'

/** Any text that can be encoded, with the characters that the formats escape. */
const anyText = fc.string({
  unit: fc.oneof(fc.constantFrom(...'\\;,":%?&=+@ \r\n'), fc.string({ unit: 'grapheme', maxLength: 1 })),
})
const filled = anyText.filter((text) => text !== '')

/** Splits at a sign that no backslash escapes, and removes the backslashes, as readers do. */
const fieldsOf = (text: string, sign: string): string[] =>
  text.split(new RegExp(`(?<=(?:^|[^\\\\])(?:\\\\\\\\)*)${sign}`, 's')).map((part) => part.replace(/\\([\s\S])/g, '$1'))

describe('wifi', () => {
  test.each([
    [{ ssid: 'mynetwork', password: 'mypass' }, 'WIFI:T:WPA;S:mynetwork;P:mypass;;'],
    // The example of https://github.com/zxing/zxing/wiki/Barcode-Contents.
    [{ ssid: '"foo;bar\\baz"' }, 'WIFI:T:nopass;S:\\"foo\\;bar\\\\baz\\";;'],
    [
      { ssid: 'Tea, cake: open', password: 'a:b,c', hidden: true },
      'WIFI:T:WPA;S:Tea\\, cake\\: open;P:a\\:b\\,c;H:true;;',
    ],
    [{ ssid: 'Café ☕', password: '', hidden: false }, 'WIFI:T:nopass;S:Café ☕;;'],
  ])('%j becomes %s', (network, text) => {
    expect(qrText.wifi(network)).toBe(text)
  })

  test('any name and password come out of it as they went in', () => {
    fc.assert(
      fc.property(filled, filled, (ssid, password) => {
        const text = qrText.wifi({ ssid, password })
        expect(text.startsWith('WIFI:')).toBe(true)
        expect(fieldsOf(text.slice(5), ';')).toEqual(['T:WPA', `S:${ssid}`, `P:${password}`, '', ''])
      }),
    )
  })
})

describe('vcard', () => {
  test('a contact becomes a vCard 3.0', () => {
    const text = qrText.vcard({
      firstName: 'Ann',
      lastName: 'Example; Smith',
      organization: 'Tea, Cake & Co',
      title: 'Head of sales',
      phone: ['+49 30 901820', '+49 170 1234567'],
      email: 'ann@shop.example',
      url: 'https://shop.example/a;b,c',
      address: { street: 'Hauptstr. 1', city: 'Berlin', postalCode: '10115', country: 'Germany' },
      note: 'First line\nsecond line',
    })
    expect(text.split('\r\n')).toEqual([
      'BEGIN:VCARD',
      'VERSION:3.0',
      'N:Example\\; Smith;Ann;;;',
      'FN:Ann Example\\; Smith',
      'ORG:Tea\\, Cake & Co',
      'TITLE:Head of sales',
      'TEL:+49 30 901820',
      'TEL:+49 170 1234567',
      'EMAIL:ann@shop.example',
      'URL:https://shop.example/a;b,c',
      'ADR:;;Hauptstr. 1;Berlin;;10115;Germany',
      'NOTE:First line\\nsecond line',
      'END:VCARD',
      '',
    ])
  })

  test('an organization is enough, and stands in for the name that a vCard requires', () => {
    expect(qrText.vcard({ organization: 'Tea & Co' }).split('\r\n')).toEqual([
      'BEGIN:VCARD',
      'VERSION:3.0',
      'N:;;;;',
      'FN:Tea & Co',
      'ORG:Tea & Co',
      'END:VCARD',
      '',
    ])
  })

  test('any text comes out of it as it went in, and none begins a line of its own', () => {
    const lineBreaks = (text: string) => text.replace(/\r\n|\r/g, '\n')
    fc.assert(
      fc.property(filled, filled, filled, (lastName, firstName, note) => {
        const lines = qrText.vcard({ lastName, firstName, note, phone: note }).split('\r\n')
        expect(lines.map((line) => line.split(':')[0])).toEqual([
          'BEGIN',
          'VERSION',
          'N',
          'FN',
          'TEL',
          'NOTE',
          'END',
          '',
        ])
        const valuesOf = (line = '') => {
          const value = line.slice(line.indexOf(':') + 1)
          // A line break is the one escape that is not the character itself.
          const marked = value.replace(/\\([\s\S])/g, (pair) => (pair === '\\n' ? '\\\n' : pair))
          return fieldsOf(marked, ';')
        }
        expect(valuesOf(lines[2])).toEqual([lineBreaks(lastName), lineBreaks(firstName), '', '', ''])
        expect(valuesOf(lines[5])).toEqual([lineBreaks(note)])
      }),
    )
  })
})

describe('mailto', () => {
  test.each([
    // The examples of RFC 6068, section 6.
    [{ to: 'chris@example.com' }, 'mailto:chris@example.com'],
    [{ to: 'infobot@example.com', subject: 'current-issue' }, 'mailto:infobot@example.com?subject=current-issue'],
    [
      { to: 'infobot@example.com', body: 'send current-issue\nsend index' },
      'mailto:infobot@example.com?body=send%20current-issue%0D%0Asend%20index',
    ],
    [
      { to: 'joe@example.com', cc: 'bob@example.com', body: 'hello' },
      'mailto:joe@example.com?cc=bob@example.com&body=hello',
    ],
    [{ to: 'gorby%kremvax@example.com' }, 'mailto:gorby%25kremvax@example.com'],
    [{ to: 'unlikely?address@example.com', body: '?' }, 'mailto:unlikely%3Faddress@example.com?body=%3F'],
    [{ to: 'Mike&family@example.org' }, 'mailto:Mike%26family@example.org'],
    [{ to: 'user@example.org', subject: 'caf\u00e9' }, 'mailto:user@example.org?subject=caf%C3%A9'],
    [
      { to: ['a@example.org', 'b@example.org'], bcc: ['c@example.org', 'd@example.org'] },
      'mailto:a@example.org,b@example.org?bcc=c@example.org,d@example.org',
    ],
  ])('%j becomes %s', (mail, text) => {
    expect(qrText.mailto(mail)).toBe(text)
  })

  test('any subject and body come out of it as they went in', () => {
    fc.assert(
      fc.property(filled, filled, (subject, body) => {
        const [address, query = ''] = qrText.mailto({ to: 'a@b.example', subject, body }).split('?')
        expect(address).toBe('mailto:a@b.example')
        // Not URLSearchParams: a plus is a plus here.
        const fields = query.split('&').map((field) => field.split('=').map(decodeURIComponent))
        expect(fields).toEqual([
          ['subject', subject],
          ['body', body.replace(/\r\n|\r|\n/g, '\r\n')],
        ])
      }),
    )
  })
})

describe('tel and sms', () => {
  test.each([
    ['+49 30 901820', 'tel:+4930901820'],
    ['+1-201-555-0123', 'tel:+12015550123'],
    ['+1 (201) 555.0123', 'tel:+12015550123'],
    ['112', 'tel:112'],
  ])('the number %s becomes %s', (number, text) => {
    expect(qrText.tel(number)).toBe(text)
  })

  test.each([
    [{ to: '+49 30 901820' }, 'smsto:+4930901820:'],
    [{ to: '12345', body: 'JOIN: 7 % off; yes?' }, 'smsto:12345:JOIN: 7 % off; yes?'],
  ])('the message %j becomes %s', (message, text) => {
    expect(qrText.sms(message)).toBe(text)
  })
})

const refused: [what: string, make: () => string, parameter: string][] = [
  ['a network without a name', () => qrText.wifi({} as never), 'ssid'],
  ['a network with an empty name', () => qrText.wifi({ ssid: '' }), 'ssid'],
  ['half a surrogate pair', () => qrText.wifi({ ssid: '\ud83d' }), 'ssid'],
  ['a password that is a number', () => qrText.wifi({ ssid: 'a', password: 12345678 as never }), 'password'],
  ['a text for a flag', () => qrText.wifi({ ssid: 'a', hidden: 'yes' as never }), 'hidden'],
  ['a contact without a name', () => qrText.vcard({ phone: '112' }), 'organization'],
  ['a web address that is not absolute', () => qrText.vcard({ firstName: 'Ann', url: 'shop.example' }), 'url'],
  ['a list with no phone number', () => qrText.vcard({ firstName: 'Ann', phone: [] }), 'phone'],
  ['a list with an empty phone number', () => qrText.vcard({ firstName: 'Ann', phone: ['112', ''] }), 'phone'],
  ['an address as a text', () => qrText.vcard({ firstName: 'Ann', address: 'Berlin' as never }), 'address'],
  ['a street that is a number', () => qrText.vcard({ firstName: 'Ann', address: { street: 5 as never } }), 'address'],
  ['an email to nobody', () => qrText.mailto({ subject: 'a' } as never), 'to'],
  ['an email to a name', () => qrText.mailto({ to: 'Ann Example' }), 'to'],
  ['an email to a name and an address', () => qrText.mailto({ to: 'Ann Example ann@example.org' }), 'to'],
  ['an email to a list with a line break', () => qrText.mailto({ to: ['a@b.example', 'a@b.example\nc'] }), 'to'],
  ['no number', () => qrText.tel(undefined as never), 'number'],
  ['letters', () => qrText.tel('0800 FLOWERS'), 'number'],
  ['a zero that is dialled at home only', () => qrText.tel('+49 (0)30 901820'), 'number'],
  ['a number that is too long', () => qrText.tel('+1234567890123456'), 'number'],
  ['a message without a number', () => qrText.sms({ body: 'a' } as never), 'to'],
]

test.each(refused)('%s is refused', (_what, make, parameter) => {
  try {
    make()
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidRequestError)
    expect(error).toMatchObject({ outcome: 'not-sent', issues: [{ path: [parameter] }] })
    return
  }
  expect.fail('It should have been refused')
})

test.each<[make: () => string, message: string]>([
  [() => qrText.wifi({ ssid: '' }), 'ssid: expected a string that is not empty, received ""'],
  [
    () => qrText.vcard({ phone: '112' }),
    'organization: is missing, expected an organization, a firstName or a lastName',
  ],
  [
    () => qrText.vcard({ firstName: 'Ann', phone: 112 as never }),
    'phone: expected a string, or a list of strings, received 112',
  ],
  [
    () => qrText.vcard({ firstName: 'Ann', address: 'Berlin' as never }),
    'address: expected an object of strings: street, city, region, postalCode, country, received "Berlin"',
  ],
  [() => qrText.mailto({ to: 'Ann' }), 'to: expected an email address, or a list of them, received "Ann"'],
  [() => qrText.sms({ to: 'Ann' }), 'to: expected a phone number, such as +49 30 901820, without (0), received "Ann"'],
])('%s says: %s', (make, message) => {
  expect(make).toThrow(message)
})

test('anything else than an object is refused, and no password is shown', () => {
  for (const make of [qrText.wifi, qrText.vcard, qrText.mailto, qrText.sms]) {
    for (const value of [undefined, null, 'text', []]) expect(() => make(value as never)).toThrow(InvalidRequestError)
  }
  expect(() => qrText.wifi({ ssid: 'a', password: 12345678 as never })).toThrow(/password: .*received a number$/)
})

test('a line break cannot leave the web address of a contact', () => {
  const text = qrText.vcard({ firstName: 'Ann', url: 'https://shop.example/\r\nNOTE:injected' })
  expect(text).toContain('URL:https://shop.example/NOTE:injected\r\n')
})
