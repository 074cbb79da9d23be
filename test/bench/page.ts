/** The numbers of the page about runtimes. `npm run budgets -- --write` writes all of them. */
import { readFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import * as alone from './alone.ts'
import { versions } from './clients.ts'
import { type Finding, findExceeded, formatNumber, formatRow, formatTable } from './measure.ts'
import * as weight from './weight.ts'

const path = new URL('../../docs/src/content/docs/guides/runtimes.md', import.meta.url)

/** Two digits, so that a small change of the code does not change the page. */
const DIGITS = 2

/** The numbers that are the same on every machine. */
export interface Exact {
  weight: weight.Weight
  /** The kilobytes that one list call adds to an app that uses ky and zod/mini itself. */
  added: number
}

/** Returns the lines and phrases with these numbers that the page does not have. */
export function findMissing(exact: Exact): string[] {
  // Paragraphs are wrapped.
  const text = readFileSync(path, 'utf8').replace(/\s+/g, ' ')
  return [
    formatRow(weight.createRow('shortlink-sdk', exact.weight), DIGITS),
    formatAdded(exact),
    describeVersions(),
  ].filter((expected) => !text.includes(expected))
}

/**
 * Measures everything that the page shows, and writes it. The peers must be installed.
 *
 * @throws if a limit is exceeded, for example because the machine is busy
 */
export async function writePage(exact: Exact): Promise<void> {
  const fast = await alone.compare(false)
  const small = await weight.compare()
  const exceeded = findExceeded([fast, small])
  if (exceeded.length) throw new Error(`nothing was written, because these exceed their limits: ${exceeded.join('; ')}`)
  const node = `Node ${process.versions.node}, ${cpus().length} cores, ${cpus()[0]!.model.trim()}`
  const text = readFileSync(path, 'utf8').replace(/\badds [\d.]+ kB/, formatAdded(exact))
  const withSpeed = writeTable(text, 'How fast', fast, `Measured with ${node}.`)
  writeFileSync(path, writeTable(withSpeed, 'How small', small, describeVersions()))
}

const formatAdded = ({ added }: Exact) => `adds ${formatNumber(added, DIGITS)} kB`

const describeVersions = () =>
  `Versions: ${Object.entries(versions)
    .map(([name, version]) => `${name} ${version}`)
    .join(', ')}.`

/** Wraps a paragraph at 120 columns, as the pages are. */
const wrap = (text: string): string => text.replace(/(.{1,120})(?: |$)/g, '$1\n').trimEnd()

/** Replaces the table under a heading, and the paragraph below it, which says how the numbers were measured. */
function writeTable(text: string, heading: string, finding: Finding, conditions: string): string {
  const written = `${formatTable(finding, DIGITS)}\n\n${wrap(`${finding.how} ${conditions}`)}`
  const sections = text.split(/^(?=## )/m)
  const index = sections.findIndex((section) => section.startsWith(`## ${heading}\n`))
  sections[index] = sections[index]!.replace(/^\|.*(\n\|.*)*\n\n.+(\n.+)*/m, () => written)
  return sections.join('')
}
