/** A result outside the matrix: of a bundler, a compiler or a page. */
export interface Finding {
  name: string
  outcome: 'passed' | 'failed' | 'skipped'
  /** What was tested, or what went wrong. */
  detail: string
}

const marks = { passed: '✓', failed: '✗', skipped: '–' }

/** Formats findings as a Markdown table. The reasons for failures are long, so they are only logged. */
export function formatFindings(heading: string, findings: readonly Finding[]): string {
  const rows = findings.map(({ name, outcome, detail }) => {
    return `| ${name} | ${marks[outcome]} | ${outcome === 'failed' ? 'see below' : detail} |`
  })
  return [`| ${heading} | | |`, '|---|:-:|---|', ...rows].join('\n')
}
