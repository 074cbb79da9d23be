import type { Check } from '../schema/checks.ts'
import { shown } from '../schema/expected.ts'

/** A check of a list of strings, which names the first that does not fit. */
export function listOf(expected: string, fits: (entry: string) => boolean, least = 0): Check {
  const misfit = (list: readonly unknown[]) => list.findIndex((entry) => typeof entry !== 'string' || !fits(entry))
  return {
    expected,
    fits: (value) => Array.isArray(value) && value.length >= least && misfit(value) === -1,
    hint: (value) =>
      Array.isArray(value) && misfit(value) !== -1 ? `${shown(value[misfit(value)])} does not fit` : undefined,
  }
}
