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

/** The failures of a row, without and with known issues of the runtime. */
export interface Verdict {
  failures: Result[]
  expected: Result[]
  /** Known issues that no longer fail. */
  outdated: string[]
}

export function judge({ results, knownIssues = {} }: Row): Verdict {
  const failed = results.filter(({ outcome }) => outcome === 'failed')
  const findIssue = (result: Result) => knownIssues[getTitle(result)]
  return {
    failures: failed.filter((result) => !findIssue(result)),
    expected: failed.filter((result) => findIssue(result)),
    outdated: Object.keys(knownIssues).filter(
      (title) => results.length > 0 && !failed.some((result) => getTitle(result) === title),
    ),
  }
}

/** Formats the matrix in Markdown: ✓ passed, ✗ failed, ¹ a known issue of the runtime, – not run. */
export function formatMatrix(rows: readonly Row[]): string {
  const notes: string[] = []
  const addNote = (text: string) => {
    if (!notes.includes(text)) notes.push(text)
    return superscript(notes.indexOf(text) + 1)
  }
  const cell = (row: Row, topic: string) => {
    const ofTopic = row.results.filter((result) => result.topic === topic)
    if (ofTopic.length === 0) return '–'
    const { failures, expected } = judge(row)
    if (failures.some((result) => result.topic === topic)) return '✗'
    const marks = new Set(
      expected.filter((result) => result.topic === topic).map((result) => addNote(row.knownIssues![getTitle(result)]!)),
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

/** Returns the title of a check without its dialect. */
function getTitle({ topic, name }: Result): string {
  return `${topic}: ${name.replace(/ \((reference|deviating)\)$/, '')}`
}

function superscript(number: number): string {
  return '¹²³⁴⁵⁶⁷⁸⁹'[number - 1] ?? `(${number})`
}
