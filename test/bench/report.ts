/** Writes the report in the repository: `report/README.md` and bar charts. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { versions } from './clients.ts'
import { type Finding, formatNumber, formatTable, isOwn, isWithin, median } from './measure.ts'

const folder = new URL('report/', import.meta.url)

export function writeReport(findings: readonly Finding[], seconds: number): void {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder)
  for (const finding of findings)
    if (finding.drawn) writeFileSync(new URL(getFileName(finding), folder), drawChart(finding))
  writeFileSync(new URL('README.md', folder), formatPage(findings, seconds))
}

const getFileName = ({ title }: Finding) => `${title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}.svg`

function formatPage(findings: readonly Finding[], seconds: number): string {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  const installed = Object.entries(versions).map(([name, version]) => `${name} ${version}`)
  const sections = findings.map((finding) => {
    const picture = finding.drawn ? `\n![${finding.title}](${getFileName(finding)})\n` : ''
    return `## ${finding.title}\n\n${finding.how}\n${picture}\n${formatTable(finding)}\n`
  })
  return `# How fast, how small

Written by \`npm run bench -- ${process.argv.slice(2).join(' ')}\` in one run of ${Math.round(seconds)} seconds.
${cpus()[0]!.model.trim()}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB, ${process.platform}, Node ${process.versions.node}.
shortlink-sdk ${version}, ${installed.join(', ')}.

Contestants take turns in each round, so that other load on the machine affects all of them equally. A ratio is
taken within a round. A number is the median of the rounds. Half of the rounds are in the range in parentheses.
${describeLimits(findings)}

${sections.join('\n')}`
}

/** Describes how many limits are met, and which are not. */
function describeLimits(findings: readonly Finding[]): string {
  const limited = findings.flatMap(({ columns, rows }) =>
    rows.flatMap(([name, ...cells]) =>
      cells.flatMap((cell, index) => {
        if (typeof cell === 'string' || !cell.limit) return []
        return {
          what: columns.length > 1 ? `${name}: ${columns[index]}` : name,
          met: isWithin(median(cell.samples), cell.limit),
        }
      }),
    ),
  )
  const missed = limited.filter(({ met }) => !met).map(({ what }) => what)
  return `${limited.length - missed.length} of ${limited.length} limits are met${missed.length ? `; exceeded: ${missed.join('; ')}` : ''}.`
}

const LABELS = 230
const BARS = 420
const LINE = 24

/** Draws a column of a table as horizontal bars, with this project's in another color. */
function drawChart({ title, columns, rows, drawn }: Finding): string {
  const column = columns.indexOf(drawn!) + 1
  const bars = rows.flatMap((row) => {
    const cell = row[column]!
    return typeof cell === 'string' ? [] : [{ name: row[0].replaceAll('`', ''), value: median(cell.samples) }]
  })
  const longest = Math.max(...bars.map(({ value }) => value))
  const lines = bars.map(({ name, value }, index) => {
    const width = (value / longest) * BARS
    const color = isOwn(name) ? '#0b7285' : '#adb5bd'
    return `<g transform="translate(${LABELS} ${(index + 1.5) * LINE})"><text x="-8" y="16" text-anchor="end">${name}</text>
<rect width="${width.toFixed(1)}" height="18" y="2" fill="${color}"/><text x="${(width + 6).toFixed(1)}" y="16">${formatNumber(value)}</text></g>`
  })
  const size = `${LABELS + BARS + 60} ${(bars.length + 2) * LINE}`
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size}" font-family="system-ui, sans-serif" font-size="13">
<title>${title}: ${drawn}</title>
<rect width="100%" height="100%" fill="white"/><text x="${LABELS}" y="22" font-weight="bold">${title}: ${drawn}</text>
${lines.join('\n')}
</svg>
`
}
