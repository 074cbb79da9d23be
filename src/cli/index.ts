#!/usr/bin/env node
import process from 'node:process'
import { VERSION } from '../runtime/version.ts'
import { type Command, UsageError } from './command.ts'

/** The commands. Each is loaded only when it runs. */
const commands: Record<string, { summary: string; load: () => Promise<Command> }> = {
  sandbox: {
    summary: 'start the platform in memory, on a port of this machine',
    load: async () => (await import('./sandbox-command.ts')).sandbox,
  },
  doctor: {
    summary: 'read from a deployment, and say how it answers and what to do',
    load: async () => (await import('./doctor-command.ts')).doctor,
  },
}

const help = `Usage: shortlink-sdk <command> [options]

Commands:
${Object.entries(commands)
  .map(([name, { summary }]) => `  ${name.padEnd(10)} ${summary}`)
  .join('\n')}

Options:
  --help     print this text, or after a command that command's options
  --version  print the version
`

await main(process.argv.slice(2))

async function main([name = '', ...args]: string[]): Promise<void> {
  if (name === '--version' || name === '-v') return console.log(VERSION)
  if (name === '--help' || name === '-h') return console.log(help)
  const entry = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (!entry) return fail(name === '' ? help : `shortlink-sdk: there is no command '${name}'\n\n${help}`, 2)
  const command = await entry.load()
  // What follows `--` is for the program that the command runs.
  const own = args.includes('--') ? args.slice(0, args.indexOf('--')) : args
  if (own.includes('--help') || own.includes('-h')) return console.log(command.help)
  try {
    await command.run(args)
  } catch (error) {
    const isUsage = error instanceof UsageError || isParseError(error)
    const message = `shortlink-sdk ${name}: ${(error as Error).message}`
    fail(isUsage ? `${message}\n\n'shortlink-sdk ${name} --help' lists the options.` : message, isUsage ? 2 : 1)
  }
}

function fail(message: string, status: number): void {
  console.error(message)
  process.exitCode = status
}

/** `parseArgs` has no error class, only codes. */
function isParseError(error: unknown): boolean {
  return String((error as { code?: unknown } | null)?.code).startsWith('ERR_PARSE_ARGS')
}
