import process from 'node:process'
import { parseArgs, stripVTControlCharacters } from 'node:util'
import { type ArgsDef, type CommandDef, renderUsage, runCommand } from 'citty'
import { similarName } from '../checks/checks.ts'
import { isShortLinkError } from '../errors.ts'
import type { OptionNames } from '../http/option-names.ts'
import { LockedError } from '../tasks/lock.ts'

/** A subcommand of `shortlink-sdk`. */
export interface Command {
  /** What `--help` prints. */
  help(): Promise<string>
  /** Runs with the arguments after the command's name. It throws a {@link UsageError} if they are wrong. */
  run(args: string[]): Promise<void>
}

/** The arguments are wrong: the message goes to stderr, and the exit status is 2. */
export class UsageError extends Error {}

/** Something failed or was stopped, and what was printed before says what is done. */
export class IncompleteError extends Error {
  /** The exit status. */
  readonly status: number

  constructor(message: string, status = 1) {
    super(message)
    this.status = status
  }
}

/** The error that ended some work whose results were written. */
export const asIncomplete = (error: unknown): IncompleteError =>
  error instanceof IncompleteError ? error : new IncompleteError(messageOf(error))

/** Parses the number that an option was given. */
export function numberOption(option: string, value: string, from: number, to: number, other = ''): number {
  const number = value.trim() === '' ? Number.NaN : Number(value)
  if (number >= from && number <= to) return number
  throw new UsageError(`--${option} takes a number from ${from} to ${to}${other}, not '${value}'`)
}

/** Parses the whole number that an option was given. */
export function wholeNumberOption(option: string, value: string, from: number, to: number, other = ''): number {
  const number = numberOption(option, value, from, to, other)
  if (Number.isInteger(number)) return number
  throw new UsageError(`--${option} takes a whole number, not '${value}'`)
}

const noKeyOption =
  'there is no option for the key, because it would stay in the history of the shell: set SHORTLINK_API_KEY'

/** A command that citty describes and parses. It takes no option that it does not know, and `most` arguments. */
export function command<Args extends ArgsDef>(definition: CommandDef<Args>, most: number, notes = ''): Command {
  return {
    async help() {
      const usage = await renderUsage(definition, { meta: { name: 'shortlink-sdk' } })
      const text = hasColors() ? usage : stripVTControlCharacters(usage)
      return `${text.replaceAll(/ +$/gm, '').trimEnd()}\n\n${notes}`.trimEnd()
    },
    async run(rawArgs) {
      const tokens = checkArgs(rawArgs, definition.args as ArgsDef, most)
      try {
        await runCommand(definition, { rawArgs: withRepeated(rawArgs, tokens) })
      } catch (error) {
        // citty does not export its class.
        const isUsage = (error as Error).name === 'CLIError' || isRefused(error)
        throw isUsage ? new UsageError(messageOf(error)) : error
      }
    },
  }
}

/** What messages of the client call the options that a user of the command may have to change. */
export const commandNames: OptionNames = {
  key: 'SHORTLINK_API_KEY',
  apiKey: 'SHORTLINK_API_KEY',
  authScheme: 'SHORTLINK_AUTH_SCHEME',
  baseUrl: '--base-url or SHORTLINK_BASE_URL',
  openerUrl: 'SHORTLINK_OPENER_URL',
  allowInsecureHttp: '--allow-insecure-http',
  headers: '--header',
}

/** The message of whatever was thrown. */
export const messageOf = (error: unknown): string => (error as Error).message ?? String(error)

/** What the client refuses before it sends anything is wrong usage of the command, but a file in use is not. */
function isRefused(error: unknown): boolean {
  if (!isShortLinkError(error) || error instanceof LockedError) return false
  return error.code === 'configuration' || error.code === 'invalid_request'
}

const hasColors = () => process.stdout.isTTY && !process.env.NO_COLOR

type Token = NonNullable<ReturnType<typeof parseArgs>['tokens']>[number]

/** citty takes options that nobody has defined, and an option without its value. */
function checkArgs(rawArgs: string[], args: ArgsDef, most: number): Token[] {
  const names = Object.keys(args).filter((name) => args[name]!.type !== 'positional')
  const typeOf = (name: string) => (args[name]!.type === 'boolean' ? 'boolean' : 'string')
  const options = Object.fromEntries(names.map((name) => [name, { type: typeOf(name) } as const]))
  const { tokens, positionals } = parseArgs({
    args: rawArgs,
    options,
    strict: false,
    allowPositionals: true,
    tokens: true,
  })
  for (const token of tokens) {
    if (token.kind !== 'option') continue
    const { name, rawName, value } = token
    if (!names.includes(name)) throw new UsageError(unknownOption(name, rawName, names))
    if (typeOf(name) === 'boolean' && value !== undefined) throw new UsageError(`${rawName} takes no value`)
    if (typeOf(name) === 'string' && !value) throw new UsageError(`${rawName} needs a value`)
  }
  if (positionals.length > most) throw new UsageError(`unexpected argument '${positionals[most]}'`)
  return tokens
}

/** The options that may be repeated. citty takes the last one, so that gets all values, one a line. */
const repeatable = ['header', 'map']

function withRepeated(rawArgs: string[], tokens: Token[]): string[] {
  const joined = repeatable.flatMap((name) => {
    const values = tokens.flatMap((token) => (token.kind === 'option' && token.name === name ? [token.value] : []))
    return values.length > 1 ? [`--${name}=${values.join('\n')}`] : []
  })
  const end = rawArgs.includes('--') ? rawArgs.indexOf('--') : rawArgs.length
  return [...rawArgs.slice(0, end), ...joined, ...rawArgs.slice(end)]
}

/** The values of an option that may be repeated. */
export const repeated = (value: string | undefined): string[] => value?.split('\n') ?? []

function unknownOption(name: string, rawName: string, names: readonly string[]): string {
  const plain = name.replace(/[_-]/g, '').toLowerCase()
  const isKey = /^(api)?(key|token)$/.test(plain)
  if (isKey && !names.includes('key')) return noKeyOption
  const meant = isKey ? 'key' : similarName(name, names)
  if (meant) return `unknown option ${rawName}, did you mean --${meant}?`
  return `unknown option ${rawName}`
}
