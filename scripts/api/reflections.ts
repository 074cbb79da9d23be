/** The exports, types and docstrings of the sources, as TypeDoc reads them. */
import { readFileSync } from 'node:fs'
import {
  Application,
  Comment,
  type CommentDisplayPart,
  type DeclarationReflection,
  ReferenceReflection,
  ReferenceType,
  type Reflection,
  ReflectionKind,
  type SomeType,
} from 'typedoc'
import { cliEntries, entries } from '../entries.ts'

const root = new URL('../../', import.meta.url)

/** Modules that are not entries, but that the pages and the OpenAPI document show. */
const unexported = [
  'src/client/resources/*.ts',
  'src/client/links/*.ts',
  'src/client/definition.ts',
  'src/client/platform/rate-headers.ts',
]

const app = await Application.bootstrap({
  entryPoints: [...Object.values(entries), ...Object.values(cliEntries), ...unexported].map(
    (file) => decodeURIComponent(root.pathname) + file,
  ),
  tsconfig: `${decodeURIComponent(root.pathname)}tsconfig.json`,
  excludePrivate: true,
  excludeProtected: true,
  excludeExternals: true,
  preservedTypeAnnotationTags: ['@throws'],
  sort: [],
  // `tsc` reports errors.
  skipErrorChecking: true,
  logLevel: 'Error',
})
const project = await app.convert()
if (!project) throw new Error('TypeDoc cannot read the sources')
const modules = project.children!

/** Returns the exports of a module by name, including `@internal` exports. */
export function getExports(file: string): ReadonlyMap<string, DeclarationReflection> {
  const module = modules.find(({ sources }) => sources?.[0]?.fileName === file)
  if (!module) throw new Error(`TypeDoc does not read ${file}`)
  return new Map(
    (module.children ?? []).map((child) => {
      const target = child instanceof ReferenceReflection ? child.getTargetReflectionDeep() : child
      const type = findInterface(target as DeclarationReflection)
      if (!type) return [child.name, target as DeclarationReflection]
      // A schema has no docstring: its interface has.
      if (type.comment) target.comment = type.comment
      return [child.name, file === entries.schemas ? (target as DeclarationReflection) : type]
    }),
  )
}

/** Returns the interface with the name of a schema. */
const findInterface = ({ name, parent }: DeclarationReflection): DeclarationReflection | undefined =>
  (parent as DeclarationReflection).children?.find((one) => one.kind === ReflectionKind.Interface && one.name === name)

/** Returns the file that declares an export, such as `src/client/client.ts`. */
export const getFile = ({ sources }: DeclarationReflection): string => sources?.[0]?.fileName ?? ''

/** Returns the public members, including inherited ones. */
export function getMembers({ children = [] }: DeclarationReflection): DeclarationReflection[] {
  return children.filter(
    ({ kind, name, comment, signatures }) =>
      kind !== ReflectionKind.Constructor &&
      !name.startsWith('[') &&
      ![comment, signatures?.[0]?.comment].some((docs) => docs?.hasModifier('@internal')),
  )
}

/** Returns the declaration of a named type, if the package declares it. */
export function getDeclaration(type: SomeType | undefined): DeclarationReflection | undefined {
  return type instanceof ReferenceType ? (type.reflection as DeclarationReflection | undefined) : undefined
}

/** Returns the parts of a union, or the type itself if it is not a union. */
export const getUnionParts = (type: SomeType | undefined): readonly SomeType[] =>
  type?.type === 'union' ? type.types : type ? [type] : []

/** Returns the literals in a type such as `'links' | (string & {})`, including `null`. */
export const getLiterals = (type: SomeType | undefined): unknown[] =>
  getUnionParts(type).flatMap((part) => {
    const { type: named } = getDeclaration(part) ?? {}
    return part.type === 'literal' ? [part.value] : named ? getLiterals(named) : []
  })

/** A docstring as Markdown. `{@link X}` becomes `X` in backticks. */
export interface Docs {
  readonly text: string
  /** Facts about the client, not about the platform. */
  readonly remarks: string
  readonly examples: readonly string[]
  readonly throws: readonly { readonly error: string; readonly when: string }[]
  readonly returns: string
}

export function getDocs(reflection: Reflection | undefined): Docs {
  const { signatures, getSignature } = (reflection ?? {}) as Partial<DeclarationReflection>
  const comment = reflection?.comment ?? signatures?.[0]?.comment ?? getSignature?.comment ?? new Comment()
  const getTexts = (name: `@${string}`) => comment.getTags(name).map(({ content }) => markdown(content))
  return {
    text: unwrap(markdown(comment.summary)),
    remarks: unwrap(getTexts('@remarks').join('\n\n')),
    examples: getTexts('@example').map((example) => example.replace(/^```ts\n|\n```$/g, '')),
    throws: comment.getTags('@throws').map(({ typeAnnotation = '', content }) => ({
      error: typeAnnotation.slice(1, -1),
      when: unwrap(markdown(content)),
    })),
    returns: unwrap(getTexts('@returns').join(' ')),
  }
}

/** Returns the comment at the top of a module. */
export function readModuleDocs(file: string): Pick<Docs, 'text' | 'examples'> {
  const [, comment = ''] = /^\/\*\*\n([\s\S]*?)\n \*\//.exec(readFileSync(new URL(file, root), 'utf8')) ?? []
  const [text = '', ...examples] = comment.replace(/^ \* ?/gm, '').split('@example\n')
  return { text: unwrap(text.trim()), examples: examples.map((example) => example.trim()) }
}

const markdown = (parts: readonly CommentDisplayPart[]): string =>
  parts
    .map(({ kind, text }) => (kind === 'inline-tag' ? `\`${text}\`` : text))
    .join('')
    .trim()

/** Joins the lines of each paragraph. Lists and blank lines stay. */
function unwrap(text: string): string {
  return text.replace(/([^\n])\n(?!\n|\s*[-*] |\s*\d+\. |```)\s*/g, '$1 ')
}

/** Returns the first sentence, without the request, and the rest. */
export function splitDocs(text: string): { summary: string; description: string } {
  const [, summary = '', description = ''] =
    /^([\s\S]*?)(?:: (?:GET|POST|PUT|DELETE) `[^`]+`)?\.(?:\s+([\s\S]*))?$/.exec(text) ?? []
  return { summary, description }
}
