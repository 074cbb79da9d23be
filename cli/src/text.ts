import { shorten } from '../../src/client/runtime/text.ts'

/** An issue of a task. The error that has it adds the code. */
export interface TaskIssue {
  readonly path: readonly (string | number)[]
  readonly message: string
}

/** Describes issues in one line: `name: expected a string, received a number; tag: is missing`. */
export function describeIssues(issues: readonly TaskIssue[]): string {
  const lines = issues.slice(0, 5).map(({ path, message }) => {
    const at = shorten(path.join('.'), 100)
    return at ? `${at}: ${message}` : message
  })
  return issues.length > 5 ? `${lines.join('; ')}; and ${issues.length - 5} more` : lines.join('; ')
}

/** Zero-width characters, direction marks, and a no-break space at either end. */
const hidden = /[\u00AD\u061C\u180E\u200B-\u200F\u202A-\u202E\u2060-\u206F\uFEFF]|^\xA0|\xA0$/

/** A joiner between two characters beyond ASCII, which some scripts and emoji need. */
const joiner = /([^\0-\x7F])[\u200C\u200D](?=[^\0-\x7F])/g

/** Describes what was pasted into an address or alias by mistake: an invisible character, or a second address. */
export function describeHiddenText(text: string): string | undefined {
  const positionAt = (at: number) => [...text.slice(0, at)].length + 1
  const at = text.replace(joiner, '$1-').search(hidden)
  if (at !== -1) {
    const code = text.charCodeAt(at).toString(16).toUpperCase().padStart(4, '0')
    return `has the invisible character U+${code} at position ${positionAt(at)}`
  }
  const [path = ''] = text.split(/[?#]/, 1)
  const second = Math.max(text.search(/\shttps?:\/\//i), path.search(/[,;|]https?:\/\//i))
  return second === -1 ? undefined : `has two addresses, the second from position ${positionAt(second + 1)} on`
}
