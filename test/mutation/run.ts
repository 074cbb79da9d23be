import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { Stryker } from '@stryker-mutator/core'
import { parts } from './parts.ts'

// Breaks the core in every way that Stryker knows, one at a time, and counts what the tests notice. Without arguments
// all of it; with names of parts those; with `--newest 500` the files changed last, until they have 500 lines.
// Results are kept in .tmp/mutation: what has not changed since, and whose tests have not, is not run again.

type MutantResult = Awaited<ReturnType<Stryker['runMutationTest']>>[number]

/** The least score, in percent. */
const LEAST = { ofAll: 95, ofAFile: 90 }

const { positionals: names, values } = parseArgs({ allowPositionals: true, options: { newest: { type: 'string' } } })

const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8' }).split('\n').filter(Boolean)
const isCore = (file: string) => /^src\/(?!testing\/|cli\/).*\.ts$/.test(file) && existsSync(file)
const partOf = (file: string) => Object.keys(parts).find((name) => parts[name]!.code.test(file))

/** The files that were changed last, the newest first. */
function newest(most: number): string[] {
  const changed = [...git('diff', '--name-only', 'HEAD'), ...git('log', '--name-only', '--format=', '-n', '200')]
  const files = [...new Set(changed)].filter(isCore)
  let lines = 0
  return files.filter((file, index) => {
    lines += readFileSync(file, 'utf8').split('\n').length
    return index === 0 || lines <= most
  })
}

const isKilled = ({ status }: Pick<MutantResult, 'status'>) => status === 'Killed' || status === 'Timeout'

/** Lets survivors be run again. Stryker does not see that a test was added for one that runs while modules are loaded. */
function forgetSurvivors(file: string): void {
  if (!existsSync(file)) return
  const report = JSON.parse(readFileSync(file, 'utf8')) as { files: Record<string, { mutants: MutantResult[] }> }
  for (const entry of Object.values(report.files)) entry.mutants = entry.mutants.filter(isKilled)
  writeFileSync(file, JSON.stringify(report))
}

const unknown = names.filter((name) => !(name in parts))
if (unknown.length) throw new Error(`expected parts of ${Object.keys(parts)}, received ${unknown}`)

const isWhole = names.length === 0 && values.newest === undefined
const core = git('ls-files', 'src').filter(isCore)
const homeless = core.filter((file) => !partOf(file))
if (homeless.length) throw new Error(`no part has the tests of ${homeless}`)
const chosen = values.newest === undefined ? core : newest(Number(values.newest))

const results: MutantResult[] = []
for (const [name, { tests }] of Object.entries(parts)) {
  const files = chosen.filter((file) => partOf(file) === name)
  if (files.length === 0 || (names.length > 0 && !names.includes(name))) continue
  console.log(`\n── ${name}: ${files.join(' ')}`)
  const folder = `.tmp/mutation/${name}`
  const incrementalFile = `${folder}/incremental.json`
  forgetSurvivors(incrementalFile)
  // Not by Stryker's own `testFiles`, with which it does not try what runs while modules are loaded.
  process.env.TESTS_OF_PART = tests.join(' ')
  const stryker = new Stryker({
    configFile: 'test/mutation/stryker.config.json',
    mutate: files,
    tempDirName: `${folder}/sandbox`,
    incrementalFile,
  })
  results.push(
    ...(await stryker.runMutationTest()).filter(({ fileName }) => files.some((file) => fileName.endsWith(file))),
  )
}

const isCounted = (mutant: MutantResult) =>
  isKilled(mutant) || mutant.status === 'Survived' || mutant.status === 'NoCoverage'

function score(mutants: readonly MutantResult[]) {
  const counted = mutants.filter(isCounted)
  const killed = counted.filter(isKilled).length
  return { mutants: counted.length, killed, survived: counted.length - killed, '%': percent(killed, counted.length) }
}
const percent = (part: number, whole: number) => (whole === 0 ? 100 : Math.floor((part / whole) * 1000) / 10)

const byFile = Object.fromEntries(
  chosen.map((file) => [file, score(results.filter(({ fileName }) => fileName.endsWith(file)))]),
)
console.table(Object.fromEntries(Object.entries(byFile).filter(([, { mutants }]) => mutants > 0)))
const all = score(results)
console.log(`${all.mutants} mutants, ${all.killed} killed, ${all.survived} survived: ${all['%']} %`)

const weak = Object.entries(byFile).filter(([, { '%': reached }]) => reached < LEAST.ofAFile)
for (const [file, { '%': reached }] of weak) console.log(`${file}: ${reached} %, expected at least ${LEAST.ofAFile}`)
const isWeak = isWhole && all['%'] < LEAST.ofAll
if (isWeak) console.log(`expected at least ${LEAST.ofAll} % of all`)
if (weak.length || isWeak) process.exitCode = 1
