/** How the sandbox of an example is set up: the words after `run` in its fence. */
export interface ExampleOptions {
  /** Rows in every list. Default 30. */
  rows?: number
  /** `reference`, `deployed`, or deviations with commas between them. Default `reference`. */
  dialect?: string
  /** Requests in a window of a minute, or `off`. Default 30. */
  limit?: number | 'off'
}

/**
 * Reads the words after `run`.
 *
 * @throws {RangeError} for a word that is no option.
 */
export function parseExampleOptions(words: readonly string[]): ExampleOptions {
  const options: ExampleOptions = {}
  for (const word of words) {
    const [name, value = ''] = word.split('=')
    if (name === 'rows' && /^\d+$/.test(value)) options.rows = Number(value)
    else if (name === 'dialect' && value) options.dialect = value
    else if (name === 'limit' && value === 'off') options.limit = value
    else if (name === 'limit' && /^\d+$/.test(value)) options.limit = Number(value)
    else throw new RangeError(`${word}: expected rows=<n>, dialect=<name> or limit=<n>|off`)
  }
  return options
}
