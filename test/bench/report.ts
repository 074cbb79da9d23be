/** The report kept in the repository: `report/README.md` and a plot for every table. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describeGoal, type Finding, figure, meets, short, table } from './measure.ts'
import { root } from './peers.ts'
import { plot } from './plot.ts'

const folder = fileURLToPath(new URL('report/', import.meta.url))

export async function writeReport(findings: readonly Finding[], seconds: number): Promise<void> {
  mkdirSync(folder, { recursive: true })
  for (const file of readdirSync(folder)) if (file.endsWith('.svg')) rmSync(join(folder, file))
  for (const finding of findings) writeFileSync(join(folder, picture(finding)), await plot(finding))
  writeFileSync(join(folder, 'README.md'), page(findings, seconds))
}

function page(findings: readonly Finding[], seconds: number): string {
  return `# How fast, how small

Written by \`npm run bench -- --report\`; every number was measured in that one run, of ${Math.round(seconds / 60)} minutes.

${machine()}

Each comparison runs its contestants in turns, round after round, so that whatever else the machine does falls on all
of them alike. Tables give the median of the rounds and the range that the middle half of them lies in; a ratio is
taken within a round first. In the plots a dashed line is the goal, and a thin line that range. The client validates every answer and has its limiter and its retries on.

## The goals

${goals(findings)}
${findings.map(section).join('\n')}`
}

function section(finding: Finding): string {
  return `
## ${finding.title}

${finding.how}

![${finding.title}](${picture(finding)})

${table(finding)}
`
}

/** Every number that has a goal, beside it. */
function goals(findings: readonly Finding[]): string {
  const lines = findings.flatMap((finding) =>
    finding.rows.flatMap((row) => {
      if (!row.goal) return []
      const { median } = figure(finding, row)
      const unit = finding.byRatio ? `of ${finding.baseline}` : finding.unit
      const met = meets(row.goal, median) ? 'met' : '**missed**'
      return `| ${finding.title}: ${row.name} | ${short(median)} | ${describeGoal(row.goal)} | ${unit} | ${met} |`
    }),
  )
  return ['| what | measured | goal | unit | |', '|---|--:|--:|---|---|', ...lines, ''].join('\n')
}

function machine(): string {
  const [cpu, ...others] = cpus()
  const peers: { dependencies: Record<string, string> } = JSON.parse(
    readFileSync(new URL('peers/package.json', import.meta.url), 'utf8'),
  )
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const versions = Object.entries(peers.dependencies).map(([name, version]) => `${name} ${version}`)
  return `Machine: ${cpu!.model.trim()}, ${others.length + 1} cores, ${Math.round(totalmem() / 2 ** 30)} GiB, ${process.platform}, Node ${process.versions.node}.
Versions: shortlink-sdk ${version}, ${versions.join(', ')}.`
}

function picture({ title }: Finding): string {
  return `${title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}.svg`
}
