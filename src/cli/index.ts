#!/usr/bin/env node
import process from 'node:process'
import { VERSION } from '../runtime/version.ts'
import { type Command, UsageError } from './command.ts'
import { sandbox } from './sandbox-command.ts'

const commands: Record<string, Command> = { sandbox }

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
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (!command) return fail(name === '' ? help : `shortlink-sdk: there is no command '${name}'\n\n${help}`, 2)
  if (args.includes('--help') || args.includes('-h')) return console.log(command.help)
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
