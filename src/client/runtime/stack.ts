/**
 * Returns the place where a user made a call, from the stack of an error that was created there. V8, Firefox and Safari
 * write stacks in different forms; a stack in another form stays as it is.
 */

/** The file of a frame: `at name (file:1:2)` and `at file:1:2` in V8, `name@file:1:2` elsewhere. */
function fileOf(frame: string): string | undefined {
  const inV8 = /^\s+at (?:async )?(?:.*? \()?(.+?):\d+:\d+\)?$/.exec(frame)
  const [, file] = inV8 ?? /^[^@]*@(.+?):\d+:\d+$/.exec(frame) ?? []
  return file
}

/** The place of this package's code: its folder, or a single file if the user bundled it. */
let home: string | undefined

function findHome(): string {
  const frame = String(new Error().stack)
    .split('\n')
    .find((line) => fileOf(line) !== undefined)
  const file = (frame && fileOf(frame)) ?? ''
  const [folder] = /^.*[\\/](?:shortlink-sdk[\\/]dist|src)[\\/]/.exec(file) ?? []
  return folder ?? file
}

/** Returns true for a line of a stack that is a frame of this package. */
export function isOwnFrame(line: string): boolean {
  home ??= findHome()
  return home !== '' && fileOf(line)?.startsWith(home) === true
}

/**
 * The frames of an error from the first one on that is the user's; `''` if there is none, or the runtime has no stacks.
 */
export function framesOf({ stack }: Error): string {
  const lines = typeof stack === 'string' ? stack.split('\n') : []
  const isOfUser = (line: string): boolean => {
    const file = fileOf(line)
    return file !== undefined && !file.startsWith('node:') && !isOwnFrame(line)
  }
  const first = lines.findIndex(isOfUser)
  return first === -1 ? '' : lines.slice(first).join('\n')
}

/** Replaces the frames of an error, if there are any to replace them with. */
export function setFrames(error: Error, frames: string): void {
  if (frames === '') return
  // V8 keeps frames of its own, from which Node quotes a line of code above an uncaught error. Above a function that is
  // not running there are none.
  const { captureStackTrace } = Error as { captureStackTrace?: (error: Error, above: () => void) => void }
  captureStackTrace?.(error, () => {})
  const isV8 = /^\s+at /.test(frames)
  const stack = isV8 ? `${error.name}: ${error.message}\n${frames}` : frames
  Object.defineProperty(error, 'stack', { value: stack, writable: true, configurable: true })
}
