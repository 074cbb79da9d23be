import { type Result, topics } from '../conformance.ts'

/** One row of the table: a runtime, and how the suite went in it. */
export interface Row {
  runtime: string
  results: Result[]
  /** Why it was not run. */
  skipped?: string
  /** Checks that cannot pass because of the runtime itself, by `topic: name`, with the reason and where it is known. */
  known?: Record<string, string>
  seconds: number
}

/** What became of a row: failures that count, and those that are the runtime's own. */
export interface Verdict {
  failures: Result[]
  excused: Result[]
  /** Excuses that are no longer needed. */
  outdated: string[]
}

export function judge({ results, known = {} }: Row): Verdict {
  const failed = results.filter(({ outcome }) => outcome === 'failed')
  const excuseOf = (result: Result) => known[titleOf(result)]
  return {
    failures: failed.filter((result) => !excuseOf(result)),
    excused: failed.filter((result) => excuseOf(result)),
    outdated: Object.keys(known).filter(
      (title) => results.length > 0 && !failed.some((result) => titleOf(result) === title),
    ),
  }
}

/** The matrix in Markdown: ✓ all passed, ✗ something failed, ¹ what the runtime itself does, – not run. */
export function table(rows: readonly Row[]): string {
  const notes: string[] = []
  const noteOf = (text: string) => {
    if (!notes.includes(text)) notes.push(text)
    return superscript(notes.indexOf(text) + 1)
  }
  const cell = (row: Row, topic: string) => {
    const ofTopic = row.results.filter((result) => result.topic === topic)
    if (ofTopic.length === 0) return '–'
    const { failures, excused } = judge(row)
    if (failures.some((result) => result.topic === topic)) return '✗'
    const marks = new Set(
      excused.filter((result) => result.topic === topic).map((result) => noteOf(row.known![titleOf(result)]!)),
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

/** A check without its dialect. */
function titleOf({ topic, name }: Result): string {
  return `${topic}: ${name.replace(/ \((reference|deployed)\)$/, '')}`
}

function superscript(number: number): string {
  return '¹²³⁴⁵⁶⁷⁸⁹'[number - 1] ?? `(${number})`
}
