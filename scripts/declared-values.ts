/**
 * Fails if the declarations of the built package and its JavaScript do not export the same values: what compiles must
 * be there.
 */
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { entries } from './entries.ts'

const dist = fileURLToPath(new URL('../dist/', import.meta.url))
const require = createRequire(import.meta.url)
const files = Object.keys(entries).flatMap((name) => [
  { declarations: `${name}.d.ts`, load: () => import(`${dist}${name}.js`) as Promise<object> },
  { declarations: `${name}.d.cts`, load: () => require(`${dist}${name}.cjs`) as object },
])
const program = ts.createProgram(
  files.map(({ declarations }) => dist + declarations),
  { module: ts.ModuleKind.NodeNext, target: ts.ScriptTarget.ES2022, skipLibCheck: true },
)
const checker = program.getTypeChecker()

/** The names that can be used as values, as the compiler sees them. */
function declaredValues(file: string): string[] {
  const module = checker.getSymbolAtLocation(program.getSourceFile(dist + file)!)!
  return checker.getPropertiesOfType(checker.getTypeOfSymbol(module)).map(({ name }) => name)
}

const differences: string[] = []
for (const { declarations, load } of files) {
  const declared = new Set(declaredValues(declarations))
  const exported = new Set(Object.keys(await load()))
  for (const name of declared) if (!exported.has(name)) differences.push(`${declarations}: ${name} is a type only`)
  for (const name of exported) if (!declared.has(name)) differences.push(`${declarations}: ${name} is missing`)
}
console.log(differences.join('\n') || `${files.length} files of declarations have the values of their JavaScript.`)
process.exitCode = differences.length > 0 ? 1 : 0
