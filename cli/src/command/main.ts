import { isShortLinkError, VERSION } from 'shortlink-sdk'
import { findSimilarName } from '../../../src/client/runtime/similar-name.ts'
import { toPrintable } from '../../../src/client/runtime/text.ts'
import {
  ADDRESS_AND_KEY,
  type Command,
  formatExamples,
  formatList,
  getErrorMessage,
  IncompleteError,
  UsageError,
} from './command.ts'
import { onCtrlC } from './ctrl-c.ts'
import { hasWritten, print, setWritten } from './print.ts'

/** The commands. Each module is loaded only when its command runs. */
const commands: Record<string, { summary: string; load: () => Promise<{ default: Command }> }> = {
  shorten: { summary: 'print a short address for each URL', load: () => import('./commands/shorten.ts') },
  list: { summary: 'list links, campaigns, QR codes, …', load: () => import('./commands/list.ts') },
  import: { summary: 'create a link for every row of a file', load: () => import('./commands/import.ts') },
  report: {
    summary: 'list every link with its clicks, and how many clicks are new',
    load: () => import('./commands/report.ts'),
  },
  sync: { summary: 'make links match a file', load: () => import('./commands/sync.ts') },
  doctor: { summary: 'check that a server works with the client', load: () => import('./commands/doctor.ts') },
}

const summaries = Object.entries(commands).map(([name, { summary }]) => [name, summary] as const)
const options = [
  ['--help', 'print this text; after a command, print its options'],
  ['--version', 'print the version'],
] as const
const examples = [
  'shortlink doctor',
  'shortlink import links.csv --out result.csv',
  'shortlink report --out report.csv',
]

const help = `Usage: shortlink <command> [options]

${formatList('Commands', summaries)}
${formatList('Options', options)}
${formatExamples(examples)}
${ADDRESS_AND_KEY}

Exit status:
  0: done
  1: something failed, or its outcome is unknown
  2: wrong usage, nothing was sent
  3: 'sync --check' found differences
  130: stopped by Ctrl+C; 143 by SIGTERM, 129 by SIGHUP`

/** Runs a command. Returns the exit status, or `undefined` if the command may have set `process.exitCode`. */
export async function main([name = '', ...args]: string[]): Promise<number | undefined> {
  if (name === '--version' || name === '-v') return printText(VERSION)
  if (name === '--help' || name === '-h') return printText(help)
  if (name === 'help') return main(args.length > 0 ? [args[0]!, '--help'] : ['--help'])
  return runCommand(name, args)
}

async function runCommand(name: string, args: string[]): Promise<number | undefined> {
  const entry = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (!entry) {
    const meant = findSimilarName(name, Object.keys(commands))
    const problem = `there is no command '${name}'${meant ? `, did you mean ${meant}?` : ''}`
    return fail(name === '' ? help : `shortlink: ${problem}\n'shortlink --help' lists the commands.`, 2)
  }
  const { default: command } = await entry.load()
  // Arguments after `--` are not options.
  const own = args.includes('--') ? args.slice(0, args.indexOf('--')) : args
  if (own.includes('--help') || own.includes('-h')) {
    return printText(command.help())
  }
  setWritten(false)
  let ignoreCtrlC = () => {}
  try {
    // Long work has its own callback. Everything else, such as reading a pipe, is abandoned.
    const stopped = new Promise<never>((_, reject) => {
      ignoreCtrlC = onCtrlC(({ status }) => reject(new IncompleteError('stopped', status)))
    })
    await Promise.race([command.run(args), stopped])
    return undefined
  } catch (error) {
    const isUsage = error instanceof UsageError
    const lines = isUsage ? error.lines : [getErrorMessage(error)]
    const message = `shortlink ${name}: ${lines.map(toPrintable).join('\n')}`
    if (own.includes('--json') && !hasWritten()) await printError(error)
    if (isUsage) return fail(`${message}\n'shortlink ${name} --help' lists the options.`, 2)
    return fail(message, error instanceof IncompleteError ? error.status : 1)
  } finally {
    ignoreCtrlC()
  }
}

async function printText(text: string): Promise<number> {
  try {
    await print(`${text}\n`)
    return 0
  } catch (error) {
    return fail(`shortlink: ${getErrorMessage(error)}`, 1)
  }
}

/** Prints an error as JSON instead of a result. */
async function printError(error: unknown): Promise<void> {
  const cause = error instanceof IncompleteError ? error.cause : error
  const code = isShortLinkError(cause) ? { code: cause.code } : {}
  const { formatJson } = await import('./output.ts')
  await print(`${formatJson({ error: getErrorMessage(error), ...code }, 2)}\n`).catch(() => {})
}

/** Prints a message, without control characters because it may quote a file or a server. Returns the exit status. */
function fail(message: string, status: number): number {
  console.error(message.split('\n').map(toPrintable).join('\n'))
  return status
}
