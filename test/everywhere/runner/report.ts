/** The result of something that is not a row of the matrix: a bundler, a compiler, a page. */
export interface Finding {
  name: string
  outcome: 'passed' | 'failed' | 'skipped'
  /** What was tested, or what went wrong. */
  detail: string
}

const marks = { passed: '✓', failed: '✗', skipped: '–' }

/** Findings as a table in Markdown. The reasons of failures are long, so they are only logged. */
export function findingsTable(heading: string, findings: readonly Finding[]): string {
  const rows = findings.map(({ name, outcome, detail }) => {
    return `| ${name} | ${marks[outcome]} | ${outcome === 'failed' ? 'see below' : detail} |`
  })
  return [`| ${heading} | | |`, '|---|:-:|---|', ...rows].join('\n')
}
