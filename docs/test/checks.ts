/** Counts the checks, and keeps what failed. */
export class Checks {
  passed = 0
  readonly failures: string[] = []

  /** Passes if there is nothing to say. */
  add(name: string, problems: readonly string[]): void {
    if (problems.length === 0) this.passed += 1
    else this.failures.push([name, ...problems].join('\n    '))
  }

  /** Runs a check that throws where it fails. */
  async try(name: string, check: () => Promise<void>): Promise<void> {
    try {
      await check()
      this.passed += 1
    } catch (error) {
      this.failures.push(`${name}\n    ${(error as Error).stack ?? error}`)
    }
  }
}
