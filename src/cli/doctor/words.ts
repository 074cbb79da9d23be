import { isRecord } from '../../schema/expected.ts'
import type { ReadPage } from './lists.ts'

/** The words that stand for the `type` of rows and that the reference does not list, one for each row. */
export function unknownWords({ list, rows }: ReadPage): string[] {
  const { types } = list
  if (!types) return []
  const words = rows.filter(isRecord).map(({ type }) => type)
  return words.filter((word): word is string => typeof word === 'string' && !types.includes(word))
}
