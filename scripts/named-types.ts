/**
 * Fails if an entry of a built package does not export a type that its public signatures refer to: programs could not
 * name the type.
 */
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { cliEntries, entries } from './entries.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
/** Returns the declarations of entries, which are at the same path below `declarations` as below `sources`. */
const getDeclarations = (entries: Readonly<Record<string, string>>, sources: string, declarations: string) =>
  Object.entries(entries).map(([entry, source]) => ({
    entry,
    file: root + source.replace(sources, declarations).replace(/ts$/, 'd.ts'),
  }))
const packages = [
  { name: 'shortlink-sdk', folder: `${root}dist/`, entries: getDeclarations(entries, 'src/', 'dist/') },
  {
    name: 'shortlink-cli',
    folder: `${root}cli/dist/`,
    entries: getDeclarations(cliEntries, 'cli/src/', 'cli/dist/cli/src/'),
  },
]
const files = packages.flatMap(({ entries }) => entries.map(({ file }) => file))
const program = ts.createProgram(files, { module: ts.ModuleKind.NodeNext, types: ['node'], skipLibCheck: true })
const checker = program.getTypeChecker()

const resolveAlias = (symbol: ts.Symbol): ts.Symbol =>
  symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol

/**
 * Returns the types that a symbol and its members, including inherited members, refer to. `folder`: the folder of the
 * package: types from elsewhere are left out.
 */
function findReferences(symbol: ts.Symbol, folder: string): ts.Symbol[] {
  const found = new Set<ts.Symbol>()
  const visit = (node: ts.Node): void => {
    if (ts.isTypeReferenceNode(node)) found.add(getSymbolAt(node.typeName))
    if (ts.isImportTypeNode(node) && node.qualifier) found.add(getSymbolAt(node.qualifier))
    ts.forEachChild(node, visit)
  }
  const members = checker.getPropertiesOfType(checker.getDeclaredTypeOfSymbol(symbol))
  for (const { declarations: all = [] } of [symbol, ...members]) {
    for (const declaration of all) if (isBuilt(declaration)) visit(declaration)
  }
  return [...found].filter((type) => needsName(type, folder))
}

const isBuilt = (declaration: ts.Declaration): boolean =>
  packages.some(({ folder }) => declaration.getSourceFile().fileName.startsWith(folder))

const getSymbolAt = (name: ts.Node): ts.Symbol => resolveAlias(checker.getSymbolAtLocation(name)!)

function needsName({ flags, declarations: all = [] }: ts.Symbol, folder: string): boolean {
  const isOwn = all.some(
    (declaration) => declaration.getSourceFile().fileName.startsWith(folder) && !isInGlobal(declaration),
  )
  return isOwn && !(flags & ts.SymbolFlags.TypeParameter)
}

const isInGlobal = (node: ts.Node | undefined): boolean =>
  node !== undefined && (Boolean(node.flags & ts.NodeFlags.GlobalAugmentation) || isInGlobal(node.parent))

let count = 0
const unnamed = packages.flatMap(({ name, folder, entries }) => {
  const entriesBySymbol = new Map<ts.Symbol, string[]>()
  for (const { entry, file } of entries) {
    const module = checker.getSymbolAtLocation(program.getSourceFile(file)!)!
    for (const symbol of checker.getExportsOfModule(module).map(resolveAlias)) {
      entriesBySymbol.set(symbol, [...(entriesBySymbol.get(symbol) ?? []), `${name}/${entry}`])
    }
  }
  count += entriesBySymbol.size

  // If several entries export a symbol, it is enough that one of them exports all types that it refers to.
  return [...entriesBySymbol].flatMap(([symbol, exporting]) => {
    const missing = exporting.map((entry) =>
      findReferences(symbol, folder)
        .filter((type) => !entriesBySymbol.get(type)?.includes(entry))
        .map((type) => `${entry} does not export ${type.name}, which ${symbol.name} refers to`),
    )
    return missing.sort((a, b) => a.length - b.length)[0]!
  })
})
console.log(unnamed.join('\n') || `${count} exports refer only to exported types.`)
process.exitCode = unnamed.length > 0 ? 1 : 0
