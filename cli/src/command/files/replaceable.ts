import { stat } from 'node:fs/promises'
import { UsageError } from '../command.ts'
import { type Input, readInput } from './input.ts'
import { splitResult } from './result.ts'

/**
 * Checks that the file of `--out` may be replaced, so that the only copy of a list of addresses is never overwritten.
 * It may be replaced if it does not exist, is empty, or is a result of this input whose short addresses are all in the
 * journal or in the input.
 *
 * @param readKnown reads the short addresses of the journal and the input
 * @throws {UsageError} if the file must not be replaced
 */
export async function throwIfNotReplaceable(
  out: string,
  input: Input,
  readKnown: () => Promise<ReadonlySet<string>>,
): Promise<void> {
  const file = await stat(out).catch(() => undefined)
  // Pipes and devices are not replaced by writing to them.
  if (!file?.isFile() || file.size === 0) return
  const refuse = (problem: string): never => {
    throw new UsageError(`--out ${out}: ${problem}. Nothing was sent. Use another file, or delete this one`)
  }
  const result = await readInput(out)
    .then(splitResult)
    .catch(() => undefined)
  if (!result) return refuse(`already exists, and is not a result of ${input.name}`)
  const addresses = result.rows.flatMap(({ result }) => result?.shorturl ?? [])
  const known = addresses.length > 0 ? await readKnown() : new Set()
  const lost = addresses.filter((shorturl) => !known.has(shorturl))
  if (lost.length > 0) {
    refuse(
      `has ${lost[0]}${lost.length > 1 ? ` and ${lost.length - 1} more` : ''}, which ${input.name} and its journal do not have`,
    )
  }
  const isOther = String([...result.columns].sort()) !== String([...input.columns].sort())
  if (addresses.length === 0 && isOther) refuse(`is the result of a file with other columns than ${input.name}`)
}
