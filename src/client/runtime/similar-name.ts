/**
 * Returns the known name that a misspelled name stands for: in another style, with letters transposed, or with one
 * letter wrong, missing or added.
 */
export function findSimilarName(name: string, known: readonly string[]): string | undefined {
  const plain = normalizeName(name)
  return (
    known.find((candidate) => normalizeName(candidate) === plain) ??
    known.find((candidate) => isTypo(normalizeName(candidate), plain))
  )
}

/** Removes the style of a name: `isPublic` and `is_public` become `public`, `redirectRoot` becomes `redirectroot`. */
export const normalizeName = (name: string): string =>
  name
    .slice(0, 40)
    .replace(/^is(?=[A-Z_-])/, '')
    .replace(/[_-]/g, '')
    .toLowerCase()

function isTypo(known: string, name: string): boolean {
  // A different number is not a typo: `status2` is not `status`. Names such as `id` are too short to compare.
  const isNumbered = name.replace(/\D/g, '') !== known.replace(/\D/g, '')
  if (isNumbered || Math.min(name.length, known.length) < 3) return false
  const sortLetters = (text: string) => [...text].sort().join('')
  const shorter = dropEachLetter(known)
  return sortLetters(name) === sortLetters(known) || dropEachLetter(name).some((text) => shorter.includes(text))
}

const dropEachLetter = (text: string): string[] => [
  text,
  ...Array.from(text, (_, at) => text.slice(0, at) + text.slice(at + 1)),
]
