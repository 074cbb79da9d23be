/** One way to read a character of a text: its code, and the place after it. */
export interface Reading {
  readonly code: number
  readonly end: number
}

/** How many nested encodings are decoded: JSON inside a query inside JSON. */
const MOST_LAYERS = 3

/** A run of backslashes that no escape reaches the end of: in each layer, two are one. */
const LONG_RUN = '\\'.repeat(2 ** MOST_LAYERS + 1)

/** The maximum number of digits in a numeric escape, including leading zeros. */
const MOST_DIGITS = 16

/** Characters that may begin an escape: `%` and `+` in a query, `&` in HTML, `\` in JSON and JavaScript. */
export const SIGNS = [37, 43, 38, 92] as const
const [PERCENT, PLUS, AMPERSAND, BACKSLASH] = SIGNS

const [X, U] = [120, 117] as const

/** Letters that mean a control character after a backslash. */
const controls = /* @__PURE__ */ new Map(
  Object.entries({ b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v', '0': '\0' }).map(
    ([letter, control]): [number, number] => [letter.charCodeAt(0), control.charCodeAt(0)],
  ),
)

/** The HTML entities for punctuation and for Latin-1, from U+00A0 on. */
const names = /* @__PURE__ */ new Map<string, number>([
  ...Object.entries({
    ...{ Tab: '\t', NewLine: '\n', excl: '!', quot: '"', num: '#', dollar: '$', percnt: '%', amp: '&', apos: "'" },
    ...{ lpar: '(', rpar: ')', ast: '*', plus: '+', comma: ',', period: '.', sol: '/', colon: ':', semi: ';' },
    ...{ lt: '<', equals: '=', gt: '>', quest: '?', commat: '@', lsqb: '[', lbrack: '[', bsol: '\\', rsqb: ']' },
    ...{ rbrack: ']', Hat: '^', lowbar: '_', grave: '`', lcub: '{', lbrace: '{', verbar: '|', vert: '|' },
    ...{ rcub: '}', rbrace: '}', hellip: '…' },
  }).map(([name, character]): [string, number] => [name, character.charCodeAt(0)]),
  ...'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml'
    .split(' ')
    .map((name, index): [string, number] => [name, 0xa0 + index]),
])
const LONGEST_NAME = 7

/** Whether a UTF-16 code unit may begin an escape. */
export const beginsEscape = (unit: number): boolean =>
  unit === PERCENT || unit === PLUS || unit === AMPERSAND || unit === BACKSLASH

/** How many places ahead the readings are cached, per number of layers. The last slot says whether one layer has them all. */
const REMEMBERED = 512
const slotOf = (place: number, layers: number): number => (place % REMEMBERED) * (MOST_LAYERS + 2) + layers
const final = (place: number): number => slotOf(place, MOST_LAYERS + 1)

/** Reads the characters of a text, escaped or not, with bounded work for each. */
export class Reader {
  readonly #text: string
  /** A cache of readings by place and number of layers, because an escape is also read as part of those before it. */
  readonly #known: (readonly Reading[])[] = []
  readonly #places: number[] = []

  /** Whether another escape sign was found after the current one. */
  #metSign = false

  constructor(text: string) {
    this.#text = text
  }

  /**
   * Every way to read the character at a place: literally, and as an escape that begins there, which may itself be escaped.
   * A sign may be literal or begin an escape, so there is often more than one way.
   */
  at(place: number): readonly Reading[] {
    const readings = this.#at(place, MOST_LAYERS)
    if (!readings.some(({ code }) => isSurrogate(code))) return readings
    const pairs = readings.flatMap((high) => {
      if (high.code < 0xd800 || high.code > 0xdbff) return []
      const low = this.#at(high.end, MOST_LAYERS).filter(({ code }) => code >= 0xdc00 && code <= 0xdfff)
      return low.map(({ code, end }) => ({ code: ((high.code & 0x3ff) << 10) + (code & 0x3ff) + 0x10000, end }))
    })
    return [...readings, ...pairs]
  }

  #at(place: number, layers: number): readonly Reading[] {
    const slot = slotOf(place, layers)
    if (this.#places[slot] !== place) {
      this.#known[slot] = this.#read(place, layers)
      this.#places[slot] = place
    }
    return this.#known[slot]!
  }

  #read(place: number, layers: number): readonly Reading[] {
    const code = this.#text.codePointAt(place)
    if (code === undefined) return []
    if (layers === 0 || !beginsEscape(code)) return [{ code, end: place + (code > 0xffff ? 2 : 1) }]
    if (this.#text.startsWith(LONG_RUN, place)) {
      return Array.from({ length: layers + 1 }, (_, layer) => ({ code: BACKSLASH, end: place + 2 ** layer }))
    }
    const below = this.#at(place, layers - 1)
    if (layers > 1 && this.#places[final(place)] === place) return below
    this.#metSign = false
    // Decoding the outer layers may produce the sign of an inner escape.
    const found: Reading[] = [...below]
    for (const sign of below) {
      if (!beginsEscape(sign.code)) continue
      for (const reading of this.#meaning(place, sign, layers - 1)) {
        if (!found.some(({ code, end }) => code === reading.code && end === reading.end)) found.push(reading)
      }
    }
    // Most escapes are not nested, so further layers would give the same readings.
    if (layers === 1 && !this.#metSign && !found.slice(1).some(({ code }) => beginsEscape(code))) {
      this.#places[final(place)] = place
    }
    return found
  }

  /** The meaning of an escape that begins with this sign, which is written from `place` to `sign.end`. */
  #meaning(place: number, sign: Reading, layers: number): readonly Reading[] {
    switch (sign.code) {
      case PERCENT:
        return this.#percentEncoded(sign.end, layers)
      case PLUS:
        return [{ code: 32, end: sign.end }]
      case AMPERSAND:
        return this.#entity(sign.end, layers)
      case BACKSLASH:
        return this.#backslashed(place, sign.end, layers)
      default:
        return []
    }
  }

  /** The character of one byte or of several, as in `%C3%BC`. */
  #percentEncoded(place: number, layers: number): Reading[] {
    const first = this.#number(place, 16, 2, layers)
    if (first?.count !== 2) return []
    const more = first.value < 0xc2 ? 0 : first.value < 0xe0 ? 1 : first.value < 0xf0 ? 2 : first.value < 0xf5 ? 3 : 0
    let code = more ? first.value & (0x3f >> more) : first.value
    let { end } = first
    for (let index = 0; index < more; index++) {
      const next = this.#continuation(end, layers)
      // Not UTF-8, so it is a byte of Latin-1.
      if (!next) return [{ code: first.value, end: first.end }]
      code = (code << 6) | (next.value & 0x3f)
      end = next.end
    }
    return code > 0x10ffff ? [] : [{ code, end }]
  }

  /** A continuation byte of UTF-8. */
  #continuation(place: number, layers: number): { value: number; end: number } | undefined {
    if (beginsEscape(this.#text.charCodeAt(place))) this.#metSign = true
    for (const sign of this.#at(place, layers)) {
      const byte = sign.code === PERCENT ? this.#number(sign.end, 16, 2, layers) : undefined
      if (byte?.count === 2 && byte.value >> 6 === 2) return byte
    }
    return undefined
  }

  /** The character of `&#43;`, `&#x2b;` or `&plus;`. */
  #entity(place: number, layers: number): Reading[] {
    const hash = this.#behind('#', place, layers)
    if (hash !== undefined) {
      const x = this.#behind('x', hash, layers) ?? this.#behind('X', hash, layers)
      const number = this.#number(x ?? hash, x === undefined ? 10 : 16, MOST_DIGITS, layers)
      if (!number || number.value > 0x10ffff) return []
      return [{ code: number.value, end: this.#behind(';', number.end, layers) ?? number.end }]
    }
    let longest: Reading | undefined
    let name = ''
    let end = place
    while (name.length < LONGEST_NAME) {
      const letter = this.#longest(end, layers, isLetterOrDigit)
      if (!letter) break
      name += String.fromCharCode(letter.code)
      end = letter.end
      const code = names.get(name)
      if (code !== undefined) longest = { code, end: this.#behind(';', end, layers) ?? end }
    }
    return longest ? [longest] : []
  }

  /** The character of `\n`, `\"`, `\x2b`, `\u002b` or `\u{2b}`, whose backslash is written from `from` to `place`. */
  #backslashed(from: number, place: number, layers: number): Reading[] {
    const found: Reading[] = []
    const isRaw = (from: number, end: number) =>
      this.#text.charCodeAt(from) === BACKSLASH && this.#text.charCodeAt(end - 1) === BACKSLASH
    if (beginsEscape(this.#text.charCodeAt(place))) this.#metSign = true
    for (const reading of this.#at(place, layers)) {
      const { code, end } = reading
      if (code === BACKSLASH) {
        // Two backslashes mean one. In a run, all must have the same length, or there would be too many ways to divide it.
        if (end - place === place - from || !isRaw(from, place) || !isRaw(place, end)) found.push(reading)
        continue
      }
      if (!isLetterOrDigit(code)) {
        found.push(reading)
        continue
      }
      const control = controls.get(code)
      if (control !== undefined) found.push({ code: control, end })
      if (code === X || code === U) {
        const brace = code === U ? this.#behind('{', end, layers) : undefined
        const most = code === X ? 2 : brace === undefined ? 4 : MOST_DIGITS
        const number = this.#number(brace ?? end, 16, most, layers)
        if (!number || number.value > 0x10ffff || (brace === undefined && number.count < most)) continue
        const close = brace === undefined ? number.end : this.#behind('}', number.end, layers)
        if (close !== undefined) found.push({ code: number.value, end: close })
      }
    }
    return found
  }

  /** The place after a sign, which may be escaped; `undefined` if another character is there. */
  #behind(sign: string, place: number, layers: number): number | undefined {
    const wanted = sign.charCodeAt(0)
    return this.#longest(place, layers, (code) => code === wanted)?.end
  }

  /** A number of at most `most` digits. */
  #number(place: number, base: 10 | 16, most: number, layers: number) {
    let value = 0
    let count = 0
    let end = place
    for (; count < most; count++) {
      const digit = this.#longest(end, layers, (code) => digitValue(code) < base)
      if (!digit) break
      value = Math.min(value * base + digitValue(digit.code), 0x7fffffff)
      end = digit.end
    }
    return count ? { value, count, end } : undefined
  }

  /** The longest matching reading, because the semicolon of an entity may itself be escaped. */
  #longest(place: number, layers: number, fits: (code: number) => boolean): Reading | undefined {
    const unit = this.#text.charCodeAt(place)
    if (beginsEscape(unit)) {
      this.#metSign = true
      return this.#at(place, layers).reduce<Reading | undefined>(
        (longest, reading) => (fits(reading.code) && reading.end > (longest?.end ?? 0) ? reading : longest),
        undefined,
      )
    }
    return fits(unit) ? { code: unit, end: place + 1 } : undefined
  }
}

/** Whether a code is half of a UTF-16 surrogate pair. */
export const isSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdfff

const isLetterOrDigit = (code: number): boolean =>
  (code >= 48 && code <= 57) || ((code | 32) >= 97 && (code | 32) <= 122)

/** The value of a hexadecimal digit; a number above 15 for other characters. */
function digitValue(code: number): number {
  if (code >= 48 && code <= 57) return code - 48
  const letter = code | 32
  return letter >= 97 && letter <= 102 ? letter - 87 : 99
}
