import { type Result, topics } from '../conformance.ts'

/** One row of the table: a runtime and its results. */
export interface Row {
  runtime: string
  results: Result[]
  /** Why the suite was not run. */
  skipped?: string
  /** Checks that fail because of the runtime itself, by `topic: name`, with the reason and a reference. */
  knownIssues?: Record<string, string>
  seconds: number
}

/** The failures of a row: those that count, and those that are known issues of the runtime. */
export interface Verdict {
  failures: Result[]
  expected: Result[]
  /** Known issues that no longer fail. */
  outdated: string[]
}

export function judge({ results, knownIssues = {} }: Row): Verdict {
  const failed = results.filter(({ outcome }) => outcome === 'failed')
  const issueOf = (result: Result) => knownIssues[titleOf(result)]
  return {
    failures: failed.filter((result) => !issueOf(result)),
    expected: failed.filter((result) => issueOf(result)),
    outdated: Object.keys(knownIssues).filter(
      (title) => results.length > 0 && !failed.some((result) => titleOf(result) === title),
    ),
  }
}

/** The matrix in Markdown: ✓ passed, ✗ failed, ¹ a known issue of the runtime, – not run. */
export function table(rows: readonly Row[]): string {
  const notes: string[] = []
  const noteOf = (text: string) => {
    if (!notes.includes(text)) notes.push(text)
    return superscript(notes.indexOf(text) + 1)
  }
  const cell = (row: Row, topic: string) => {
    const ofTopic = row.results.filter((result) => result.topic === topic)
    if (ofTopic.length === 0) return '–'
    const { failures, expected } = judge(row)
    if (failures.some((result) => result.topic === topic)) return '✗'
    const marks = new Set(
      expected.filter((result) => result.topic === topic).map((result) => noteOf(row.knownIssues![titleOf(result)]!)),
    )
    return `✓${[...marks].join('')}`
  }
  const lines = rows.map((row) => `| ${row.runtime} | ${topics.map((topic) => cell(row, topic)).join(' | ')} |`)
  return [
    `| | ${topics.join(' | ')} |`,
    `|---|${topics.map(() => ':-:').join('|')}|`,
    ...lines,
    ...(notes.length ? ['', ...notes.map((note, index) => `${superscript(index + 1)} ${note}`)] : []),
  ].join('\n')
}

/** The title of a check without its dialect. */
function titleOf({ topic, name }: Result): string {
  return `${topic}: ${name.replace(/ \((reference|deviating)\)$/, '')}`
}

function superscript(number: number): string {
  return '¹²³⁴⁵⁶⁷⁸⁹'[number - 1] ?? `(${number})`
}
