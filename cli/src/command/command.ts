import { parseArgs } from 'node:util'
import { isShortLinkError } from 'shortlink-sdk'
import { findSimilarName } from '../../../src/client/runtime/similar-name.ts'
import { LockedError } from '../tasks/file-journal.ts'
import { describeAnswer, isOtherAliasError, isPageOfFirewall } from '../tasks/row-errors.ts'

/** A subcommand of `shortlink`. */
export interface Command {
  /** Returns the text that `--help` prints. */
  help(): string
  /**
   * Runs the command.
   *
   * @param args the arguments after the command's name
   * @throws {UsageError} if they are wrong
   */
  run(args: string[]): Promise<void>
}

/** An error for wrong arguments or files. Its lines go to standard error, and the exit status is 2. */
export class UsageError extends Error {
  readonly lines: readonly string[]

  constructor(...lines: readonly string[]) {
    super(lines.join('\n'))
    this.lines = lines
  }
}

/** An error for work that failed in part or was stopped, after its results were printed. */
export class IncompleteError extends Error {
  /** The exit status of the process. */
  readonly status: number

  constructor(message: string, status = 1, options?: ErrorOptions) {
    super(message, options)
    this.status = status
  }
}

/** Advice for links that were created and whose addresses could not be written. */
export const LINKS_EXIST = "The links were created: 'shortlink list links' shows them"

/** Converts the error of work that ended early, after its results were written. */
export const toIncompleteError = (error: unknown): IncompleteError =>
  error instanceof IncompleteError ? error : new IncompleteError(getErrorMessage(error), 1, { cause: error })

/** Parses the value of an option that takes a whole number. @throws {UsageError} if it is out of range or no number */
export function parseWholeNumber(option: string, value: string, from: number, to: number): number {
  const number = value.trim() === '' ? Number.NaN : Number(value)
  if (!(number >= from && number <= to))
    throw new UsageError(`--${option} takes a number from ${from} to ${to}, not '${value}'`)
  if (!Number.isInteger(number)) throw new UsageError(`--${option} takes a whole number, not '${value}'`)
  return number
}

/** The variables, for the help of every command. */
export const ADDRESS_AND_KEY = `The address and the key come from the variables SHORTLINK_BASE_URL and SHORTLINK_API_KEY.
Set SHORTLINK_RATE_LIMIT to a number, or to off, if your plan does not have 30 requests per minute.`

const noKeyOption = 'there is no option for the key, because it would stay in the shell history: set SHORTLINK_API_KEY'

interface Option {
  readonly type: 'string' | 'boolean'
  readonly description: string
  readonly valueHint?: string
  /** Whether it may be given several times. */
  readonly multiple?: boolean
}

/** An argument of a command that is not an option. */
interface Positional {
  readonly type: 'positional'
  readonly description: string
  readonly required: boolean
}

type Args = Readonly<Record<string, Option | Positional>>

type Value<Arg> = Arg extends { type: 'boolean' }
  ? boolean | undefined
  : Arg extends { multiple: true }
    ? readonly string[] | undefined
    : Arg extends { required: true }
      ? string
      : string | undefined

/** The values of arguments by name. `_` has all arguments that are not options. */
type Values<A extends Args> = { readonly [Name in keyof A]: Value<A[Name]> } & { readonly _: readonly string[] }

interface Definition<A extends Args> {
  readonly meta: { readonly name: string; readonly description: string; readonly examples: readonly string[] }
  readonly args: A
  run(line: { readonly args: Values<A> }): Promise<void>
}

/**
 * Creates a command, which rejects unknown options.
 *
 * @param maxPositionals the largest number of arguments that are not options
 * @param notes text for its help, after the options
 */
export function defineCommand<const A extends Args>(
  definition: Definition<A>,
  maxPositionals: number,
  notes = '',
): Command {
  return {
    help() {
      const { meta, args } = definition
      const named = Object.entries(args)
      const positionals = named.filter(([, { type }]) => type === 'positional')
      const options = named.filter(([, { type }]) => type !== 'positional')
      const places = positionals.map(([name, arg]) => formatPositional(name, arg as Positional, maxPositionals))
      const parts = [
        ['Usage: shortlink', meta.name, ...places, '[options]'].join(' '),
        meta.description,
        formatList(
          'Arguments',
          positionals.map(([name, { description }]) => [name.toUpperCase(), description]),
        ),
        formatList(
          'Options',
          options.map(([name, option]) => [formatOption(name, option as Option), option.description]),
        ),
        formatExamples(meta.examples),
        notes,
        'base-url' in args ? ADDRESS_AND_KEY : '',
      ]
      return parts.flatMap((part) => part.trimEnd() || []).join('\n\n')
    },
    async run(rawArgs) {
      const args = parseArguments(rawArgs, definition.args, maxPositionals) as Values<A>
      try {
        await definition.run({ args })
      } catch (error) {
        throw isWrongUsage(error) ? new UsageError(getErrorMessage(error)) : error
      }
    },
  }
}

/** Returns the message of a thrown value of any type. */
export function getErrorMessage(error: unknown): string {
  if (!isShortLinkError(error)) return (error as Error).message ?? String(error)
  // The method and path of the call do not help with an alias that is taken or a row that is invalid.
  if (error.method && isPageOfFirewall(error))
    return `${error.method} ${error.path}: ${error.status} ${describeAnswer(error)}`
  const isAboutRow = error.code === 'link_conflict' || error.code === 'invalid_request' || isOtherAliasError(error)
  return isAboutRow ? error.problem : error.message
}

/** Returns whether the client rejected a call before it sent anything. A locked file is not wrong usage. */
function isWrongUsage(error: unknown): boolean {
  if (!isShortLinkError(error) || error instanceof LockedError) return false
  return error.code === 'configuration' || error.code === 'invalid_request'
}

/** Formats an argument: `FILE`, `[URLS…]`. */
function formatPositional(name: string, { required }: Positional, max: number): string {
  const text = `${name.toUpperCase()}${max > 1 ? '…' : ''}`
  return required ? text : `[${text}]`
}

const formatOption = (name: string, { valueHint }: Option): string =>
  valueHint === undefined ? `--${name}` : `--${name} <${valueHint}>`

/** Formats a section of the help: a title, and lines of a name and its description. */
export function formatList(title: string, lines: readonly (readonly [name: string, description: string])[]): string {
  const width = Math.max(...lines.map(([name]) => name.length))
  const text = lines.map(([name, description]) => `  ${name.padEnd(width)}  ${description}\n`).join('')
  return lines.length > 0 ? `${title}:\n${text}` : ''
}

export const formatExamples = (examples: readonly string[]): string =>
  `Examples:\n${examples.map((example) => `  ${example}\n`).join('')}`

/**
 * @throws {UsageError} if an option is unknown, lacks a value or accepts none, or there are too few or too many arguments
 */
function parseArguments(rawArgs: string[], args: Args, maxPositionals: number): object {
  const positional = Object.entries(args).filter(([, { type }]) => type === 'positional')
  const options = Object.fromEntries(
    Object.entries(args).flatMap(([name, arg]) => (arg.type === 'positional' ? [] : [[name, arg] as const])),
  )
  const names = Object.keys(options)
  const { values, tokens, positionals } = parseArgs({
    args: rawArgs,
    options,
    strict: false,
    allowPositionals: true,
    tokens: true,
  })
  for (const token of tokens) {
    if (token.kind !== 'option') continue
    const { name, rawName, value, inlineValue } = token
    const option = options[name]
    if (!option) throw new UsageError(describeUnknownOption(name, rawName, names))
    if (option.type === 'boolean' && value !== undefined) throw new UsageError(`${rawName} takes no value`)
    // `--prune --apply` lacks a value. A value that starts with a dash needs the form `--prune=-x`.
    const isOption = !inlineValue && value !== undefined && /^-./.test(value)
    if (option.type === 'string' && (!value || isOption)) throw new UsageError(`${rawName} needs a value`)
  }
  if (positionals.length > maxPositionals) throw new UsageError(`unexpected argument '${positionals[maxPositionals]}'`)
  const named = positional.map(([name], index) => [name, positionals[index]] as const)
  const missing = named.find(([name, value]) => value === undefined && (args[name] as Positional).required)
  if (missing) throw new UsageError(`missing argument ${missing[0].toUpperCase()}`)
  return { ...values, ...Object.fromEntries(named), _: positionals }
}

function describeUnknownOption(name: string, rawName: string, names: readonly string[]): string {
  const plain = name.replace(/[_-]/g, '').toLowerCase()
  const isKey = /^(api)?(key|token)$/.test(plain)
  if (isKey) return noKeyOption
  const meant = findSimilarName(name, names)
  if (meant) return `unknown option ${rawName}, did you mean --${meant}?`
  return `unknown option ${rawName}`
}
