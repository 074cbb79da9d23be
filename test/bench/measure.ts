/** The loop, the statistics and the table that every comparison shares. */

/** What one contestant was measured at, a sample a round. */
export interface Row {
  name: string
  samples: number[]
  /** What the plotted figure should be; where there is none, the row is there to compare with. */
  goal?: Goal
}

export type Goal = { atMost: number } | { atLeast: number }

/** One table, and one plot, of a comparison. */
export interface Finding {
  /** Also names the plot's file. */
  title: string
  /** How it was measured, in a sentence or two. */
  how: string
  unit: string
  /** The row that ratios are taken against, round by round. */
  baseline?: string
  /** Goals and the plot speak of the ratio, not of the value itself. */
  byRatio?: boolean
  rows: Row[]
}

/** Three numbers that say where the samples lie: half of them are between `low` and `high`. */
export interface Spread {
  low: number
  median: number
  high: number
}

/**
 * Runs every contestant once a round, so that whatever else the machine does falls on all of them alike. Every other
 * round goes backwards; the rounds that warm up are thrown away.
 */
export async function interleave(
  rounds: number,
  contestants: Record<string, () => number | Promise<number>>,
  warmUps = 1,
): Promise<Row[]> {
  const entries = Object.entries(contestants).map(([name, run]) => ({ name, run, samples: [] as number[] }))
  for (let round = -warmUps; round < rounds; round++) {
    for (const { run, samples } of round % 2 ? [...entries].reverse() : entries) {
      const sample = await run()
      if (round >= 0) samples.push(sample)
    }
  }
  return entries.map(({ name, samples }) => ({ name, samples }))
}

export function spread(samples: readonly number[]): Spread {
  const sorted = [...samples].sort((a, b) => a - b)
  const at = (share: number) => {
    const place = (sorted.length - 1) * share
    const below = sorted[Math.floor(place)]!
    return below + (sorted[Math.ceil(place)]! - below) * (place % 1)
  }
  return { low: at(0.25), median: at(0.5), high: at(0.75) }
}

/** The samples of a row divided by those of the baseline in the same rounds. */
export function ratios({ rows, baseline }: Finding, row: Row): number[] | undefined {
  const base = rows.find(({ name }) => name === baseline)
  return base && row.samples.map((sample, round) => sample / base.samples[round]!)
}

/** What is plotted and held against the goal. */
export function figure(finding: Finding, row: Row): Spread {
  return spread((finding.byRatio && ratios(finding, row)) || row.samples)
}

export function meets(goal: Goal, value: number): boolean {
  return 'atMost' in goal ? value <= goal.atMost : value >= goal.atLeast
}

export function describeGoal(goal: Goal): string {
  return 'atMost' in goal ? `at most ${short(goal.atMost)}` : `at least ${short(goal.atLeast)}`
}

/** A finding as a Markdown table. */
export function table(finding: Finding): string {
  const { rows, unit, baseline } = finding
  const spreads = rows.some(({ samples }) => samples.length > 1)
  const goals = rows.some(({ goal }) => goal)
  const columns = [
    ['', ...rows.map(({ name, goal }) => (goal ? `**${name}**` : name))],
    [unit, ...rows.map(({ samples }) => short(spread(samples).median))],
    spreads && ['middle half', ...rows.map(({ samples }) => range(spread(samples)))],
    baseline && ['ratio', ...rows.map((row) => ratioCell(finding, row))],
    goals && ['goal', ...rows.map((row) => goalCell(finding, row))],
  ].filter((column): column is string[] => Boolean(column))
  const lines = columns[0]!.map((_, line) => `| ${columns.map((column) => column[line]).join(' | ')} |`)
  const rule = `|${columns.map((_, column) => (column === 0 ? '---' : '--:')).join('|')}|`
  return [lines[0], rule, ...lines.slice(1)].join('\n')
}

function ratioCell(finding: Finding, row: Row): string {
  const paired = ratios(finding, row)
  if (!paired || row.name === finding.baseline) return '1'
  const { low, median, high } = spread(paired)
  return row.samples.length > 1 ? `${short(median)} (${range({ low, median, high })})` : short(median)
}

function goalCell(finding: Finding, row: Row): string {
  if (!row.goal) return ''
  const met = meets(row.goal, figure(finding, row).median)
  return `${describeGoal(row.goal)}: ${met ? 'met' : '**missed**'}`
}

function range({ low, high }: Spread): string {
  return `${short(low)}–${short(high)}`
}

/** Three digits that count, or every digit before the point. */
export function short(value: number): string {
  const digits = Math.abs(value) >= 100 ? 0 : 3
  return value.toLocaleString('en', digits ? { maximumSignificantDigits: digits } : { maximumFractionDigits: 0 })
}
