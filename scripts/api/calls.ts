/**
 * Models of all methods of the client's resources, with the request of each. Each method is called once with a marker
 * for each argument. The position of a marker in the recorded request shows where that argument is sent.
 */
import { readdirSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import type { DeclarationReflection, ParameterReflection, ReferenceType, SignatureReflection, SomeType } from 'typedoc'
import type * as z from 'zod/mini'
import type { Check, Checks } from '../../src/client/checks/checks.ts'
import { ShortLinkClient } from '../../src/client/client.ts'
import type { Api } from '../../src/client/http/api.ts'
import { pageChecks } from '../../src/client/http/list.ts'
import type { Path } from '../../src/client/http/path.ts'
import type { OtherNames, Prepare } from '../../src/client/platform/prepare.ts'
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
  /** The schema of the result, or of the rows of a list; `undefined` if no schema reads it. */
  readonly schema: z.core.$ZodType | undefined
  /** Names that some servers use instead of the documented names. */
  readonly otherNames: OtherNames
}

/** A parameter of the request, and the argument of the method that sets it. */
interface Argument {
  /** The name in the platform's reference, such as `campaignid`. */
  readonly name: string
  readonly argument: ParameterReflection
}

/** A request as its resource passes it to the API. */
interface Recorded {
  readonly method: string
  readonly path: Path
  readonly api?: 'opener'
  readonly query?: unknown
  readonly json?: unknown
  readonly upload?: unknown
  readonly checks?: Checks
  /** The key of the result, or the keys of the rows of a list. */
  readonly under?: string | readonly string[]
  /** The schema of the rows of a list. */
  readonly row?: z.core.$ZodType
  /** The schema of any other result. */
  readonly schema?: z.core.$ZodType
  readonly prepare?: Prepare
}

/** Creates an API that sends nothing and records the requests. */
function createRecorder() {
  const recorded: Recorded[] = []
  const never = new Promise<never>(() => {})
  const record = (method: string) => (path: Path, params: object) => {
    recorded.push({ method, path, ...params })
    return never
  }
  const api = {
    get: record('GET'),
    post: record('POST'),
    put: record('PUT'),
    delete: record('DELETE'),
    list: record('GET'),
    forOperation: () => api,
    strict: () => api,
    run(call: Recorded) {
      recorded.push(call)
      return never
    },
    createOperationContext: () => ({}),
  } satisfies Partial<Record<keyof Api, unknown>>
  return { api: api as unknown as Api, recorded }
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

const client = new ShortLinkClient({ baseUrl: 'https://sho.rt', apiKey: null })
type Method = (...args: unknown[]) => unknown

function createResourceModel(name: string, instance: object, declared: DeclarationReflection): ResourceModel {
  const { api, recorded } = createRecorder()
  const resource: Record<string, Method> = new (instance.constructor as new (api: Api) => never)(api)
  return {
    name,
    docs: getDocs(declared),
    files: listFiles(getFile(declared)),
    calls: sortInheritedFirst(getMembers(declared)).map((method) => {
      const signature = method.signatures![0]!
      const { parameters = [] } = signature
      const returned = signature.type as ReferenceType
      const docs = getDocs(method)
      return {
        name: `${name}.${method.name}`,
        docs,
        signature,
        parameters,
        result: returned.typeArguments?.[0] ?? returned,
        isList: returned.name === 'ListPromise',
        request: recordRequest(resource[method.name]!.bind(resource), method.name, docs, parameters, recorded),
      }
    }),
  }
}

/** The request in the docstring of a method, such as GET `/campaigns`. */
const requestLine = /\b(GET|POST|PUT|DELETE) `([^`?]+)/

function recordRequest(
  call: Method,
  name: string,
  docs: Docs,
  parameters: readonly ParameterReflection[],
  recorded: Recorded[],
): RequestModel | undefined {
  const [, documentedMethod, documentedPath] = requestLine.exec(docs.text.split('. ')[0]!) ?? []
  if (!documentedMethod) return undefined
  const markers = new Map<unknown, ParameterReflection>(
    parameters.filter(({ name }) => name !== 'options').map((parameter) => [parameter.name, parameter]),
  )
  recorded.length = 0
  void call(...markers.keys())
  const {
    method,
    path,
    query,
    json,
    upload,
    checks,
    row,
    schema = row,
    prepare,
    under,
    api = 'management',
  } = recorded[0]!
  const sent = `${method} ${api === 'opener' ? '{openerUrl}' : ''}${path.pattern}`
  const withoutNames = (line: string) => line.replaceAll(/:\w+/g, ':')
  if (withoutNames(sent) !== withoutNames(`${documentedMethod} ${documentedPath}`)) {
    throw new Error(`the docstring of ${name} has ${documentedMethod} ${documentedPath}, but the method sends ${sent}`)
  }
  // Some names in the reference differ from the names of the arguments.
  const documented = documentedPath!.replace('{openerUrl}', '')
  const pathNames = [...documented.matchAll(/:(\w+)/g)].map(([, name]) => name!)
  const argumentsIn = (values: object) =>
    Object.entries(values).flatMap(([name, value]) => {
      const argument = markers.get(value)
      return argument ? [{ name, argument }] : []
    })
  return {
    api,
    method,
    path: documented,
    pathParams: path.params.map(({ value, check }, index) => ({
      name: pathNames[index]!,
      argument: markers.get(value)!,
      check,
    })),
    query: markers.get(query),
    queryParams: query && !markers.has(query) ? argumentsIn(query as object) : [],
    body: markers.get(json),
    content: upload ? markers.get('content') : undefined,
    checks: { ...(row !== undefined && pageChecks), ...checks },
    resultAt: row === undefined ? (under === 'data' ? 'data' : 'body') : [under!].flat(),
    schema,
    otherNames: prepare?.otherNames ?? {},
  }
}

const members = getMembers(getExports('src/index.ts').get('ShortLinkClient')!)

/** The resources of the reference, and `links`, which is not in the reference. */
export const model: readonly ResourceModel[] = Object.entries(client).map(([name, instance]) =>
  createResourceModel(name, instance, getDeclaration(members.find((member) => member.name === name)?.type)!),
)
