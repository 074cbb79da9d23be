/** Times contestants, and formats the results. */

/** One value, or one per round, with its limit. */
export interface Measured {
  samples: readonly number[]
  limit?: Limit
}

export interface Limit {
  atMost?: number
  atLeast?: number
}

/** The limits of this project's cost, which must not be raised. CI fails if one is exceeded. */
export const limits = {
  /** Kilobytes that a browser downloads for one list call, including ky and zod. */
  download: { atMost: 45 },
  /** Kilobytes that one list call adds to an app that uses ky and zod/mini itself. */
  added: { atMost: 35.5 },
  /** Type instantiations of one list call, with `skipLibCheck`. */
  types: { atMost: 2500 },
  /** Kilobytes of the unpacked package without its dependencies, and of its tarball. */
  disk: { atMost: 960 },
  tarball: { atMost: 265 },
  /** Time to read a page of 25 rows, as a ratio to `JSON.parse` of the page. */
  reading: { atMost: 2.5 },
  /** Kilobytes that Node prints for an uncaught error. */
  uncaught: { atMost: 1.2 },
  /** Megabytes of a process that imports 10,000 rows. */
  importMemory: { atMost: 260 },
  /** Requests for 10,000 rows. */
  requests: { atMost: 100 },
} satisfies Record<string, Limit>

/** The result of a comparison, as a table whose first column has the names of the rows. */
export interface Finding {
  title: string
  /** How it was measured, in a sentence or two. */
  how: string
  columns: string[]
  rows: Row[]
}

export type Row = [name: string, ...cells: (string | Measured)[]]

/**
 * Runs every contestant once per round, so that other load on the machine affects all of them equally. Every other
 * round runs in reverse order. The first round is a warm-up and is not counted.
 */
export async function interleave<Name extends string>(
  rounds: number,
  names: readonly Name[],
  measure: (name: Name) => number | Promise<number>,
): Promise<Record<Name, number[]>> {
  const samples = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<Name, number[]>
  for (let round = 0; round <= rounds; round++) {
    for (const name of round % 2 ? names : [...names].reverse()) {
      const sample = await measure(name)
      if (round > 0) samples[name].push(sample)
    }
  }
  return samples
}

/** Divides each sample by the baseline's sample of the same round. */
export function divide(samples: readonly number[], baseline: readonly number[]): number[] {
  return samples.map((sample, round) => sample / baseline[round]!)
}

export const median = (samples: readonly number[]) => quantile(samples, 0.5)

function quantile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((a, b) => a - b)
  const place = (sorted.length - 1) * share
  const below = sorted[Math.floor(place)]!
  return below + (sorted[Math.ceil(place)]! - below) * (place % 1)
}

/** Formats the median, and the range of the middle half of the rounds. */
function describe({ samples }: Measured, digits?: number): string {
  const format = (share: number) => formatNumber(quantile(samples, share), digits)
  return samples.length > 1 ? `${format(0.5)} (${format(0.25)}–${format(0.75)})` : format(0.5)
}

export function isWithin(value: number, { atMost = Infinity, atLeast = -Infinity }: Limit): boolean {
  return value <= atMost && value >= atLeast
}

/** Returns the names of the measurements that exceed their limits. */
export function findExceeded(findings: readonly Finding[]): string[] {
  return findings.flatMap(({ columns, rows }) =>
    rows.flatMap(([name, ...cells]) =>
      cells.flatMap((cell, index) => {
        const isMet = typeof cell === 'string' || !cell.limit || isWithin(median(cell.samples), cell.limit)
        return isMet ? [] : [`${name}, ${columns[index]}`]
      }),
    ),
  )
}

/** Formats a number. Default: three significant digits, or a whole number from 100 on. */
export function formatNumber(value: number, digits = Math.abs(value) < 100 ? 3 : undefined): string {
  return value.toLocaleString('en', digits ? { maximumSignificantDigits: digits } : { maximumFractionDigits: 0 })
}

/** Formats a finding as a Markdown table. */
export function formatTable({ columns, rows }: Finding, digits?: number): string {
  const body = rows.map((row) => formatRow(row, digits))
  return [formatRow(['', ...columns]), `|---|${columns.map(() => '---|').join('')}`, ...body].join('\n')
}

/** Formats a row of a Markdown table, with this project in bold. */
export function formatRow([name, ...cells]: Row, digits?: number): string {
  const shown = name.startsWith('shortlink-sdk') ? `**${name}**` : name
  const texts = cells.map((cell) => (typeof cell === 'string' ? cell : describe(cell, digits)))
  return `| ${[shown, ...texts].join(' | ')} |`
}
