/** A text cut to a number of characters. */
export function bounded(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length)}… (${text.length - length} more characters)`
}
