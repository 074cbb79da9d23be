/** A subcommand of `shortlink-sdk`. */
export interface Command {
  /** What `--help` prints. */
  readonly help: string
  /** Runs with the arguments after the command's name. It throws a {@link UsageError} if they are wrong. */
  run(args: string[]): Promise<void>
}

/** The arguments are wrong: the message goes to stderr, and the exit status is 2. */
export class UsageError extends Error {}

/** Parses the number that an option was given. */
export function numberOption(option: string, value: string, from: number, to: number): number {
  const number = value.trim() === '' ? Number.NaN : Number(value)
  if (number >= from && number <= to) return number
  throw new UsageError(`--${option} takes a number from ${from} to ${to}, not '${value}'`)
}
