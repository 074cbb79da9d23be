import { formatWithOptions, inspect } from 'node-inspect-extracted'
import { bounded } from './bounded.ts'
import { post } from './messages.ts'

const maxLines = 2_000
const maxLineLength = 20_000
let lines = 0

function print(isError: boolean, text: string): void {
  lines += 1
  if (lines <= maxLines) post({ type: 'print', isError, text: bounded(text, maxLineLength) })
  else if (lines === maxLines + 1)
    post({ type: 'print', isError: true, text: `More than ${maxLines} lines: the rest is not shown.` })
}

/** Makes `console` print what Node's would. */
export function installConsole(): void {
  giveStacksNodesForm()
  let indent = ''
  const printer =
    (isError: boolean) =>
    (...values: unknown[]) =>
      print(isError, indent + format(...values).replaceAll('\n', `\n${indent}`))
  const log = printer(false)
  const error = printer(true)
  const group = (...values: unknown[]) => {
    if (values.length > 0) log(...values)
    indent += '  '
  }
  const groupEnd = () => {
    indent = indent.slice(2)
  }
  const dir = (value: unknown, options?: object) => log(inspect(value, options))
  const others = { info: log, debug: log, table: log, warn: error, trace: error, groupCollapsed: group }
  Object.assign(console, { log, error, dir, group, groupEnd, ...others })
}

/** Prints an error that a program did not catch. */
export function printError(error: unknown): void {
  print(true, `Uncaught ${format(error)}`)
}

/** Formats values without the frames of stacks, which are in this page's files. */
function format(...values: unknown[]): string {
  const text = formatWithOptions({ colors: false }, ...values)
  return text.replaceAll(/\n\s+at [^\n]*(?:blob:|https?:|example\.js)[^\n]*/g, '')
}

/** Where a stack has no message and another form, in Firefox, gives it the one that it has in Node. */
function giveStacksNodesForm(): void {
  const descriptor = Object.getOwnPropertyDescriptor(Error.prototype, 'stack')
  if (!descriptor?.get) return
  const { get } = descriptor
  Object.defineProperty(Error.prototype, 'stack', {
    ...descriptor,
    get(this: Error) {
      const frames: string[] = (get.call(this) ?? '').split('\n').filter(Boolean)
      return [`${this.name}: ${this.message}`, ...frames.map((frame) => `    at ${frame}`)].join('\n')
    },
  })
}
