/**
 * How long the redactor takes for texts of 1 kB to 16 MiB that are made to hurt it, with secrets made to hurt it. A table of
 * milliseconds of CPU, and of what a text costs that is four times as long: about 4, whatever the text and the secret.
 *
 *     npx tsx test/bench/redactor.ts [--most 16777216]
 */
import process from 'node:process'
import { parseArgs } from 'node:util'
import { createRedactor } from '../../src/http/secrets.ts'

const { values } = parseArgs({ options: { most: { type: 'string', default: String(16 * 1024 * 1024) } } })
const most = Number(values.most)
const key = 'k7d/92+abcDEFghi4455667788==00112233xyzw'

const cases: readonly [name: string, secret: string, part: string][] = [
  ['a key, plain text', key, 'Nothing to see here, move along. '],
  ['a key, JSON of PHP', key, '{"url":"https:\\/\\/shop.example\\/a?b=1&c=2","title":"T\\u00fcr"},'],
  ['a key, its own beginning', key, key.slice(0, -1)],
  ['a key, backslashes', key, '\\'],
  ['backslashes and a letter by turns, backslashes', '\\a'.repeat(20), '\\'],
  ['39 backslashes and a letter, backslashes', `${'\\'.repeat(39)}x`, '\\'],
  ['39 percent signs and a letter, percent signs', `${'%'.repeat(39)}x`, '%25'],
  ['39 ampersands and a letter, entities', `${'&'.repeat(39)}x`, '&amp;'],
  ['39 letters and another, entities without an end', `${'0'.repeat(39)}x`, '&#48'],
  ['surrogates, halves of them escaped', `${'\u{1f511}'.repeat(20)}x`, '\\ud83d\\udd11'],
  ['200 backslashes, backslashes', '\\'.repeat(200), '\\'],
  ['200 null bytes, null bytes', '\0'.repeat(200), '\0'],
  ['64 equal letters, equal letters', 'a'.repeat(64), 'a'],
  ['5,000 equal letters and another, equal letters', `${'a'.repeat(5000)}b`, 'a'],
]

const sizes: number[] = []
for (let size = 1024; size <= most; size *= 4) sizes.push(size)
if (sizes.at(-1) !== most) sizes.push(most)

const shownSize = (size: number) => (size < 1024 * 1024 ? `${size / 1024} kB` : `${size / 1024 / 1024} MiB`)
console.log(`| secret, text | ${sizes.map(shownSize).join(' | ')} | last / one before |`)
console.log(`|---|${sizes.map(() => '---:|').join('')}---:|`)
for (const [name, secret, part] of cases) {
  const times = sizes.map((size) => {
    const text = part.repeat(Math.ceil(size / part.length)).slice(0, size)
    const redact = createRedactor(secret)
    const before = process.cpuUsage()
    redact(text)
    return process.cpuUsage(before).user / 1000
  })
  const ratio = times.at(-1)! / times.at(-2)!
  console.log(`| ${name} | ${times.map((time) => time.toFixed(time < 10 ? 1 : 0)).join(' | ')} | ${ratio.toFixed(1)} |`)
}
