import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { expect, test } from 'vitest'
import { rows } from '../calls.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const entry = `${root}src/index.ts`
const { config } = ts.readConfigFile(`${root}tsconfig.json`, ts.sys.readFile)
const program = ts.createProgram([entry], ts.parseJsonConfigFileContent(config, ts.sys, root).options)
const checker = program.getTypeChecker()

const module = checker.getSymbolAtLocation(program.getSourceFile(entry)!)!
const exported = checker
  .getExportsOfModule(module)
  .map((symbol) => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol))

const hasText = (symbol: ts.Symbol) => symbol.getDocumentationComment(checker).length > 0
const hasTag = (symbol: ts.Symbol, name: string) => symbol.getJsDocTags(checker).some((tag) => tag.name === name)

/** The members that this project declares and users see, by their full names. */
function membersOf(symbol: ts.Symbol): { name: string; member: ts.Symbol }[] {
  return checker
    .getDeclaredTypeOfSymbol(symbol)
    .getProperties()
    .filter((member) => {
      const [declaration] = member.declarations ?? []
      const isOurs = declaration?.getSourceFile().fileName.startsWith(`${root}src/`)
      const flags = declaration ? ts.getCombinedModifierFlags(declaration) : 0
      const isHidden = flags & (ts.ModifierFlags.Private | ts.ModifierFlags.Protected)
      return isOurs && !isHidden && !hasTag(member, 'internal') && !/^(#|__)/.test(member.name)
    })
    .map((member) => ({ name: `${symbol.name}.${member.name}`, member }))
}

const isMethod = ({ member }: { member: ts.Symbol }) => (member.flags & ts.SymbolFlags.Method) !== 0

test('every export has a docstring', () => {
  expect(exported.length).toBeGreaterThan(70)
  expect(exported.filter((symbol) => !hasText(symbol)).map(({ name }) => name)).toEqual([])
})

test('every method that a client offers has a docstring with an example', () => {
  const client = exported.find(({ name }) => name === 'ShortLinkClient')!
  const resources = membersOf(client)
    .map(({ member }) => checker.getTypeOfSymbol(member).getSymbol())
    .filter((symbol) => symbol?.name.endsWith('Resource'))
  const promises = exported.filter(({ name }) => name === 'ApiPromise' || name === 'ListPromise')
  const methods = [client, ...(resources as ts.Symbol[])].flatMap(membersOf).filter(isMethod)
  expect(methods.length).toBeGreaterThan(rows.length)
  const undocumented = methods.filter(({ member }) => !hasText(member) || !hasTag(member, 'example'))
  expect(undocumented.map(({ name }) => name)).toEqual([])
  const others = promises.flatMap(membersOf).filter((entry) => isMethod(entry) && !hasText(entry.member))
  expect(others.map(({ name }) => name)).toEqual([])
})

test('every option and every field of an error and an event has a docstring', () => {
  const names = /(Options|Error|Event|Params|Query|State|Progress|Drift|Issue|ApiResponse|Page)$/
  const members = exported.filter(({ name }) => names.test(name)).flatMap(membersOf)
  expect(members.length).toBeGreaterThan(80)
  expect(members.filter(({ member }) => !hasText(member)).map(({ name }) => name)).toEqual([])
})
