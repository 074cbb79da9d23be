/**
 * Every call of the client and of the links section, with the request it makes. Each method is called once, with a marker
 * for each argument: where the markers turn up in the call that it hands to the transport is where the arguments go.
 */
import ts from 'typescript'
import { ShortLinkClient } from '../../src/client.ts'
import { ApiPromise } from '../../src/http/api-promise.ts'
import { pageChecks } from '../../src/http/list.ts'
import { type Path, patternOf } from '../../src/http/path.ts'
import type { Transport } from '../../src/http/transport.ts'
import type { Resource } from '../../src/resources/resource.ts'
import type { Checks } from '../../src/schema/checks.ts'
import { checker, type Docs, docsOf, exportsOf, membersOf } from './program.ts'

/** The methods of one resource of the platform. */
export interface ResourceModel {
  /** As a program writes it: `campaigns`. */
  readonly name: string
  readonly docs: Docs
  readonly calls: readonly CallModel[]
}

/** One method. */
export interface CallModel {
  /** As a program writes it: `campaigns.create`. */
  readonly name: string
  readonly docs: Docs
  readonly declaration: ts.MethodDeclaration
  readonly parameters: readonly ts.Symbol[]
  /** What the promise resolves to; of a list, what its rows are. */
  readonly answer: ts.Type
  readonly isList: boolean
  /** `undefined`: it makes several requests, each of which is another method's. */
  readonly request: RequestModel | undefined
}

/** The request of a method. */
export interface RequestModel {
  readonly api: 'management' | 'opener'
  readonly method: string
  /** With the names of its parameters: `/campaign/:id/update`. */
  readonly path: string
  readonly pathParams: readonly Argument[]
  /** An object of query parameters. */
  readonly query: ts.Symbol | undefined
  /** Query parameters that are arguments of their own. */
  readonly queryParams: readonly Argument[]
  readonly body: ts.Symbol | undefined
  readonly content: ts.Symbol | undefined
  readonly checks: Checks
  readonly required: readonly string[]
  /** Where the answer stands. Of a list, under which keys its rows do, the documented one first. */
  readonly answerAt: 'body' | 'data' | readonly string[]
}

/** A parameter of the request, and the argument of the method that it is. */
interface Argument {
  readonly name: string
  readonly argument: ts.Symbol
}

/** A call as its resource hands it to the transport. */
interface Recorded {
  readonly method: string
  readonly path: Path
  readonly api?: 'opener'
  readonly query?: unknown
  readonly json?: unknown
  readonly content?: unknown
  readonly checks?: Checks
  /** Of a list, the keys of its rows; of a call, the key of what it resolves with. */
  readonly under?: string | readonly string[]
  readonly row?: unknown
}

/** A transport that sends nothing, and what it would have sent. */
function recording() {
  const recorded: Recorded[] = []
  const never = new Promise<never>(() => {})
  const record = (method: string) => (path: Path, params: object) => {
    recorded.push({ method, path, ...params })
    return new ApiPromise(() => never)
  }
  const transport = {
    get: record('GET'),
    post: record('POST'),
    put: record('PUT'),
    delete: record('DELETE'),
    list: record('GET'),
    run(call: Recorded) {
      recorded.push(call)
      return never
    },
    check() {},
  } satisfies Partial<Record<keyof Transport, unknown>>
  return { transport: transport as unknown as Transport, recorded }
}

const client = new ShortLinkClient({ baseUrl: 'https://sho.rt', apiKey: null })
type ResourceClass = new (transport: Transport) => Resource

function resourceModel(name: string, Class: ResourceClass, classSymbol: ts.Symbol): ResourceModel {
  const { transport, recorded } = recording()
  const resource = new Class(transport)
  const methods = membersOf(checker.getDeclaredTypeOfSymbol(classSymbol)).filter(
    ({ flags }) => flags & ts.SymbolFlags.Method,
  )
  return {
    name,
    docs: docsOf(classSymbol),
    calls: methods.map((method) => {
      const declaration = method.valueDeclaration as ts.MethodDeclaration
      const signature = checker.getSignatureFromDeclaration(declaration)!
      const returned = signature.getReturnType()
      const [answer] = checker.getTypeArguments(returned as ts.TypeReference)
      const docs = docsOf(method)
      const request = requestOf(resource, method.name, docs, signature.parameters, recorded)
      return {
        name: `${name}.${method.name}`,
        docs,
        declaration,
        parameters: signature.parameters,
        answer: answer!,
        isList: returned.symbol.name === 'ListPromise',
        request,
      }
    }),
  }
}

/** How a docstring names the request of its method: GET `/campaigns`. */
const requestLine = /\b(GET|POST|PUT|DELETE) `([^`?]+)/

function requestOf(
  resource: Resource,
  method: string,
  docs: Docs,
  parameters: readonly ts.Symbol[],
  recorded: Recorded[],
): RequestModel | undefined {
  const [, documentedMethod, documentedPath] = requestLine.exec(docs.text.split('. ')[0]!) ?? []
  if (!documentedMethod) return undefined
  const markers = new Map<unknown, ts.Symbol>(
    parameters.filter(({ name }) => name !== 'options').map((parameter) => [parameter.name, parameter]),
  )
  recorded.length = 0
  void (resource as unknown as Record<string, (...args: unknown[]) => unknown>)[method]!(...markers.keys())
  const call = recorded[0]!
  const { query, json, content, checks = {}, row, under, api = 'management' } = call
  const sent = `${call.method} ${api === 'opener' ? '{openerUrl}' : ''}${patternOf(call.path)}`
  const withoutNames = (line: string) => line.replaceAll(/:\w+/g, ':')
  if (withoutNames(sent) !== withoutNames(`${documentedMethod} ${documentedPath}`)) {
    throw new Error(`the docstring of ${method} says ${documentedMethod} ${documentedPath}, it sends ${sent}`)
  }
  // The names of the reference, which differ here and there from those of the arguments.
  const path = documentedPath!.replace('{openerUrl}', '')
  const pathNames = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name!)
  const argumentsIn = (values: object) =>
    Object.entries(values).flatMap(([name, value]) => {
      const argument = markers.get(value)
      return argument ? [{ name, argument }] : []
    })
  return {
    api,
    method: call.method,
    path,
    pathParams: call.path.params
      .flatMap(argumentsIn)
      .map(({ argument }, index) => ({ name: pathNames[index]!, argument })),
    query: markers.get(query),
    queryParams: query && !markers.has(query) ? argumentsIn(query as object) : [],
    body: markers.get(json),
    content: markers.get(content),
    checks: { ...(row !== undefined && pageChecks), ...checks },
    required: Object.keys(checks).filter((name) => checks[name]!.required),
    answerAt: row === undefined ? (under === 'data' ? 'data' : 'body') : [under!].flat(),
  }
}

const classes = new Map(
  checker
    .getDeclaredTypeOfSymbol(exportsOf('src/index.ts').get('ShortLinkClient')!)
    .getProperties()
    .map((member) => [member.name, checker.getTypeOfSymbol(member).getSymbol()!]),
)

/** The resources of the reference, and the links section, which is outside of it. */
export const model: readonly ResourceModel[] = Object.entries(client).map(([name, instance]) =>
  resourceModel(name, instance.constructor as ResourceClass, classes.get(name)!),
)
