/** Models of all methods of the client's resources, with the request of each: from the registry, types and docstrings. */
import { readdirSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import type { DeclarationReflection, ParameterReflection, ReferenceType, SignatureReflection, SomeType } from 'typedoc'
import type * as z from 'zod/v4/mini'
import { type Check, type Checks, id } from '../../src/client/checks/checks.ts'
import type { AnyCallDefinition } from '../../src/client/definition.ts'
import type { OtherNames, Prepare } from '../../src/client/platform/prepare.ts'
import { registry } from '../../src/client/resources/calls.ts'
import { type Docs, getDeclaration, getDocs, getExports, getFile, getMembers } from './reflections.ts'

/** The methods of one resource of the platform. */
export interface ResourceModel {
  /** The property of the client, such as `campaigns`. */
  readonly name: string
  readonly docs: Docs
  /** The files that declare its methods and types. */
  readonly files: readonly string[]
  readonly calls: readonly CallModel[]
}

/** One method. */
export interface CallModel {
  /** The name with the resource, such as `campaigns.create`. */
  readonly name: string
  readonly docs: Docs
  readonly signature: SignatureReflection
  readonly parameters: readonly ParameterReflection[]
  /** The type that the promise resolves with, or the type of the rows of a list. Without a promise, the return type. */
  readonly result: SomeType
  readonly isList: boolean
  /** `undefined` if the method makes no request, or several, which other methods describe. */
  readonly request: RequestModel | undefined
}

/** The request of a method. */
export interface RequestModel {
  readonly api: 'management' | 'opener'
  readonly method: string
  /** The path with the names of its parameters, such as `/campaign/:id/update`. */
  readonly path: string
  readonly pathParams: readonly (Argument & { readonly check: Check })[]
  /** The argument that is an object of query parameters. */
  readonly query: ParameterReflection | undefined
  /** Query parameters that are separate arguments. */
  readonly queryParams: readonly Argument[]
  readonly body: ParameterReflection | undefined
  readonly content: ParameterReflection | undefined
  readonly checks: Checks
  /** Where the result is in the body. For a list, the keys of its rows, the documented key first. */
  readonly resultAt: 'body' | 'data' | readonly string[]
  /** The schema of the result, or of the rows of a list. */
  readonly schema: z.core.$ZodType
  /** Names that some servers use instead of the documented names. */
  readonly otherNames: OtherNames
}

/** A parameter of the request, and the argument of the method that sets it. */
interface Argument {
  /** The name in the platform's reference, such as `campaignid`. */
  readonly name: string
  readonly argument: ParameterReflection
}

const resourcesFolder = 'src/client/resources'

/** Returns the file of a resource and, if a folder extends its plain calls, the files of that folder. */
function listFiles(file: string): readonly string[] {
  const folder = dirname(file)
  if (folder === resourcesFolder) return [file]
  const names = readdirSync(new URL(`../../${folder}/`, import.meta.url))
  return [`${resourcesFolder}/${basename(file)}`, ...names.map((name) => `${folder}/${name}`)]
}

/** Sorts methods that make several requests to the end: each of their requests has a plain method too. */
const sortInheritedFirst = (methods: readonly DeclarationReflection[]) => [
  ...methods.filter(({ inheritedFrom }) => inheritedFrom),
  ...methods.filter(({ inheritedFrom }) => !inheritedFrom),
]

function createResourceModel(
  name: string,
  calls: Readonly<Record<string, AnyCallDefinition>>,
  declared: DeclarationReflection,
): ResourceModel {
  return {
    name,
    docs: getDocs(declared),
    files: listFiles(getFile(declared)),
    calls: sortInheritedFirst(getMembers(declared)).map((method) => {
      const signature = method.signatures![0]!
      const { parameters = [] } = signature
      const returned = signature.type as ReferenceType
      const docs = getDocs(method)
      const definition = calls[method.name] as DocumentedCall | undefined
      return {
        name: `${name}.${method.name}`,
        docs,
        signature,
        parameters,
        result: returned.typeArguments?.[0] ?? returned,
        isList: returned.name === 'ListPromise',
        request: definition && createRequestModel(definition, method.name, docs, parameters),
      }
    }),
  }
}

/** A definition with the parts that only the documentation reads. */
type DocumentedCall = AnyCallDefinition & {
  readonly listKey?: string | readonly string[]
  readonly dataKey?: string
  /** The schema of the result; a list has the schema of its rows instead. */
  readonly result: z.core.$ZodType
  readonly row?: z.core.$ZodType
  readonly prepare?: Prepare
}

/** The request in the docstring of a method, such as GET `/campaigns`. */
const requestLine = /\b(GET|POST|PUT|DELETE) `([^`?]+)/

function createRequestModel(
  definition: DocumentedCall,
  name: string,
  docs: Docs,
  parameters: readonly ParameterReflection[],
): RequestModel {
  const { line, api = 'management', path: pathChecks, query, body, row, result, prepare, listKey, dataKey } = definition
  const [method = '', path = ''] = line.split(' ')
  const documented = requestLine.exec(docs.text.split('. ')[0]!)?.slice(1).join(' ').replace('{openerUrl}', '')
  if (documented !== line) {
    throw new Error(`the docstring of ${name} has ${documented}, but the method sends ${line}`)
  }
  // The arguments of the path come first, in its order.
  const pathNames = Array.from(path.matchAll(/:(\w+)/g), ([, pathName]) => pathName!)
  const findArgument = (argument: string) => parameters.find((parameter) => parameter.name === argument)
  const params = findArgument('query') ?? findArgument('params')
  const isAlone = query !== undefined && params === undefined
  return {
    api,
    method,
    path,
    pathParams: pathNames.map((pathName, index) => ({
      name: pathName,
      argument: parameters[index]!,
      check: pathChecks?.[pathName] ?? id,
    })),
    query: query && params,
    // A method with a single query parameter has an argument for it.
    queryParams: isAlone ? Object.keys(query).map((parameter) => ({ name: parameter, argument: parameters[0]! })) : [],
    body: body && params,
    content: findArgument('content'),
    checks: { ...query, ...body },
    resultAt: listKey === undefined ? (dataKey === 'data' ? 'data' : 'body') : [listKey].flat(),
    schema: row ?? result,
    otherNames: prepare?.otherNames ?? {},
  }
}

const members = getMembers(getExports('src/index.ts').get('ShortLinkClient')!)

/** The resources of the reference, and `links`, which is not in the reference. */
export const model: readonly ResourceModel[] = Object.entries(registry).map(([name, calls]) =>
  createResourceModel(name, calls, getDeclaration(members.find((member) => member.name === name)?.type)!),
)
