/** The arguments of a command that reads a file. */
interface FileArgs {
  readonly file: string
  readonly map?: readonly string[] | undefined
}

/**
 * Formats a command with other options, to copy from a message. Headers are left out, because they may be secret.
 *
 * @param names the options to keep; default: all
 */
export function formatCommand<Args extends FileArgs>(
  command: string,
  args: Args,
  changes: Partial<Args>,
  names: readonly string[] = Object.keys({ ...args, ...changes }).filter((name) => !ownNames.includes(name)),
): string {
  const { file, map = [] } = args
  const { map: added = [] } = changes
  const all: Readonly<Record<string, unknown>> = { ...args, ...changes }
  const options = names.flatMap((name) => {
    const value = all[name]
    if (value === true) return [`--${name}`]
    return typeof value === 'string' ? [`--${name}`, quote(value)] : []
  })
  const toColumn = (one: string) => one.slice(0, one.lastIndexOf('='))
  const kept = map.filter((one) => !added.some((other) => toColumn(one) === toColumn(other)))
  const maps = [...kept, ...added].flatMap((one) => ['--map', quote(one)])
  return ['shortlink', command, quote(file), ...maps, ...options].join(' ')
}

/** The arguments that are written in another way, or not at all. */
const ownNames = ['_', 'file', 'map', 'header']

const quote = (text: string): string => (/^[\w./:@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`)
