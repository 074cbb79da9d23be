import type { SandboxDialect } from 'shortlink-sdk/testing'

/** How the sandbox of an example is set up. */
export interface ExampleOptions {
  /** Rows in every list. */
  rows: number
  dialect: SandboxDialect
  rateLimit: false | { requests: number }
}

/**
 * Reads the words after `run` in the fence of an example.
 *
 * @throws {RangeError} for a word that is no option.
 */
export function parseExampleOptions(words: readonly string[]): ExampleOptions {
  const options: ExampleOptions = { rows: 30, dialect: 'reference', rateLimit: { requests: 30 } }
  for (const word of words) {
    const [name, value = ''] = word.split('=')
    if (name === 'rows' && /^\d+$/.test(value)) options.rows = Number(value)
    else if (name === 'dialect' && value) options.dialect = parseDialect(value)
    else if (name === 'limit' && value === 'off') options.rateLimit = false
    else if (name === 'limit' && /^\d+$/.test(value)) options.rateLimit = { requests: Number(value) }
    else throw new RangeError(`${word}: expected rows=<n>, dialect=<name> or limit=<n>|off`)
  }
  return options
}

/** Parses `reference`, `deployed`, or deviations with commas between them. */
export function parseDialect(text: string): SandboxDialect {
  return (text === 'reference' || text === 'deployed' ? text : text.split(',')) as SandboxDialect
}
