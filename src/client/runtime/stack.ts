/** Finds the frames of user code in the stack of an error, in the format of V8. */

/** Returns the file of a frame: `at name (file:1:2)` or `at file:1:2`. */
const parseFile = (frame: string): string | undefined =>
  /^\s+at (?:async )?(?:.*? \()?(.+?):\d+:\d+\)?$/.exec(frame)?.[1]

/** The location of this package's code: its folder, or a single file if the user bundled it. */
let home: string | undefined

function findHome(): string {
  const frame = String(new Error().stack)
    .split('\n')
    .find((line) => parseFile(line) !== undefined)
  const file = (frame && parseFile(frame)) ?? ''
  const [folder] = /^.*[\\/](?:shortlink-sdk[\\/]dist|src)[\\/]/.exec(file) ?? []
  return folder ?? file
}

/** Returns whether a line of a stack is a frame of this package. */
export function isOwnFrame(line: string): boolean {
  home ??= findHome()
  return home !== '' && parseFile(line)?.startsWith(home) === true
}

/**
 * Returns the frames of an error from the first frame of user code on; `''` if there is none, or there are no stacks.
 * In the formats of other engines, all frames.
 */
function getUserFrames({ stack }: Pick<Error, 'stack'>): string {
  if (typeof stack !== 'string') return ''
  // In Firefox and Safari, a stack has only frames, such as `name@file:1:2`.
  if (/^\S*@/.test(stack)) return stack
  const lines = stack.split('\n')
  const isUserFrame = (line: string): boolean => {
    const file = parseFile(line)
    return file !== undefined && !file.startsWith('node:') && !isOwnFrame(line)
  }
  const first = lines.findIndex(isUserFrame)
  return first === -1 ? '' : lines.slice(first).join('\n')
}

/** Replaces the frames of an error with those of user code in the stack of another one, if there are any. */
export function setFrames(error: Error, calledFrom: Pick<Error, 'stack'>): void {
  const frames = getUserFrames(calledFrom)
  if (frames === '') return
  // Clears V8's own frames, because Node quotes a line of code from them above an uncaught error. Above a function that
  // is not running, V8 finds no frames.
  const { captureStackTrace } = Error as { captureStackTrace?: (error: Error, above: () => void) => void }
  captureStackTrace?.(error, () => {})
  const isV8 = /^\s+at /.test(frames)
  const stack = isV8 ? `${error.name}: ${error.message}\n${frames}` : frames
  Object.defineProperty(error, 'stack', { value: stack, writable: true, configurable: true })
}
