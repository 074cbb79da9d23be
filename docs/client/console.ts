import { formatWithOptions, inspect } from 'node-inspect-extracted'
import { bounded } from './bounded.ts'

/** Shows a text, as an error's or not. */
type Print = (isError: boolean, text: string) => void

const maxLines = 2_000
const maxLineLength = 20_000
let print: Print = () => {}

/** Makes `console` print what Node's would. */
export function installConsole(show: Print): void {
  giveStacksNodesForm()
  let lines = 0
  print = (isError, text) => {
    lines += 1
    if (lines <= maxLines) show(isError, bounded(text, maxLineLength))
    else if (lines === maxLines + 1) show(true, `More than ${maxLines} lines: the rest is not shown.`)
  }
  let indent = ''
  const printer =
    (isError: boolean) =>
    (...values: unknown[]) => {
      const text = withoutFrames(formatWithOptions({ colors: false }, ...values))
      print(isError, indent + text.replaceAll('\n', `\n${indent}`))
    }
  const log = printer(false)
  const error = printer(true)
  const group = (...values: unknown[]) => {
    if (values.length > 0) log(...values)
    indent += '  '
  }
  Object.assign(console, {
    log,
    info: log,
    debug: log,
    table: log,
    dir: (value: unknown, options?: object) => log(inspect(value, options)),
    error,
    warn: error,
    trace: error,
    group,
    groupCollapsed: group,
    groupEnd: () => {
      indent = indent.slice(2)
    },
  })
}

/** Prints an error that a program did not catch. */
export function printError(error: unknown): void {
  print(true, withoutFrames(`Uncaught ${formatWithOptions({ colors: false }, error)}`))
}

/** The frames of a stack are those of this page's files, which tell the reader nothing. */
function withoutFrames(text: string): string {
  return text.replaceAll(/\n\s+at [^\n]*(?:blob:|https?:|example\.js)[^\n]*/g, '')
}

/** Where a stack has no message and another form, in Firefox, gives it the one that it has in Node. */
function giveStacksNodesForm(): void {
  const descriptor = Object.getOwnPropertyDescriptor(Error.prototype, 'stack')
  if (!descriptor?.get) return
  const get = descriptor.get
  Object.defineProperty(Error.prototype, 'stack', {
    ...descriptor,
    get(this: Error) {
      const frames: string = get.call(this) ?? ''
      const lines = frames.split('\n').filter(Boolean)
      return [`${this.name}: ${this.message}`, ...lines.map((line) => `    at ${line}`)].join('\n')
    },
  })
}
