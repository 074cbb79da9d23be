/**
 * Fails if a type in a public signature is not exported from the entry where it is met: a program could not name it.
 */
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { cliEntries, entries } from './entries.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const { options } = ts.getParsedCommandLineOfConfigFile(
  `${root}tsconfig.json`,
  { noEmit: false, emitDeclarationOnly: true, declaration: true, stripInternal: true },
  { ...ts.sys, onUnRecoverableConfigFileDiagnostic: ({ messageText }) => console.error(messageText) },
)!
const packages = [
  { name: 'shortlink-sdk', folder: `${root}src/`, entries },
  { name: 'shortlink-cli', folder: `${root}cli/src/`, entries: cliEntries },
]
const files = packages.flatMap(({ entries }) => Object.values(entries).map((file) => root + file))

// A second program reads the declarations of the first in place of the sources, because users see those.
const declarations = new Map<string, string>()
ts.createProgram(files, options).emit(undefined, (name, text) =>
  declarations.set(name.replace(/\.d\.ts$/, '.ts'), text),
)
const host = ts.createCompilerHost(options)
const { getSourceFile } = host
host.getSourceFile = (name, version, ...rest) => {
  const text = declarations.get(name)
  return text === undefined ? getSourceFile(name, version, ...rest) : ts.createSourceFile(name, text, version, true)
}
const program = ts.createProgram(files, options, host)
const checker = program.getTypeChecker()

const resolved = (symbol: ts.Symbol): ts.Symbol =>
  symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol

/**
 * Returns the types of the package in a folder that a symbol refers to, in inherited members too. What it extends is
 * not printed itself.
 */
function referencesOf(symbol: ts.Symbol, folder: string): ts.Symbol[] {
  const found = new Set<ts.Symbol>()
  const visit = (node: ts.Node): void => {
    if (ts.isTypeReferenceNode(node)) found.add(symbolAt(node.typeName))
    if (ts.isImportTypeNode(node) && node.qualifier) found.add(symbolAt(node.qualifier))
    ts.forEachChild(node, visit)
  }
  const members = checker.getPropertiesOfType(checker.getDeclaredTypeOfSymbol(symbol))
  for (const { declarations: all = [] } of [symbol, ...members]) {
    for (const declaration of all) if (declarations.has(declaration.getSourceFile().fileName)) visit(declaration)
  }
  return [...found].filter((type) => needsName(type, folder))
}

const symbolAt = (name: ts.Node): ts.Symbol => resolved(checker.getSymbolAtLocation(name)!)

function needsName({ flags, declarations: all = [] }: ts.Symbol, folder: string): boolean {
  const isOwn = all.some((one) => one.getSourceFile().fileName.startsWith(folder) && !isInGlobal(one))
  return isOwn && !(flags & ts.SymbolFlags.TypeParameter)
}

const isInGlobal = (node: ts.Node | undefined): boolean =>
  node !== undefined && (Boolean(node.flags & ts.NodeFlags.GlobalAugmentation) || isInGlobal(node.parent))

let count = 0
const unnamed = packages.flatMap(({ name, folder, entries }) => {
  /** The entries that export a symbol. */
  const homes = new Map<ts.Symbol, string[]>()
  for (const [entry, file] of Object.entries(entries)) {
    const module = checker.getSymbolAtLocation(program.getSourceFile(root + file)!)!
    for (const symbol of checker.getExportsOfModule(module).map(resolved)) {
      homes.set(symbol, [...(homes.get(symbol) ?? []), `${name}/${entry}`])
    }
  }
  count += homes.size

  // An export of several entries is whole if one of them exports all that it refers to.
  return [...homes].flatMap(([symbol, of]) => {
    const missing = of.map((entry) =>
      referencesOf(symbol, folder)
        .filter((type) => !homes.get(type)?.includes(entry))
        .map((type) => `${entry} does not export ${type.name}, which ${symbol.name} refers to`),
    )
    return missing.sort((a, b) => a.length - b.length)[0]!
  })
})
console.log(unnamed.join('\n') || `${count} exports refer to no type without a name.`)
process.exitCode = unnamed.length > 0 ? 1 : 0
