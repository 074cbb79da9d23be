/** The OpenAPI document of both APIs and of `links`, which the document marks as outside the reference. */
import type { DeclarationReflection } from 'typedoc'
import manifest from '../../package.json' with { type: 'json' }
import { string } from '../../src/client/checks/checks.ts'
import { rateHeaders } from '../../src/client/platform/rate-headers.ts'
import { getCheckSchema } from './check-schemas.ts'
import { completeProgram, type Exchange, matchPath, run } from './examples.ts'
import { type CallModel, model, type RequestModel, type ResourceModel } from './model.ts'
import { getDeclaration, getDocs, getExports, getMembers, readModuleDocs, splitDocs } from './reflections.ts'
import {
  createBodySchema,
  createResponseSchemas,
  getParameterSchema,
  getParameters,
  getSchemaName,
  reference,
  requireAnyKey,
  type Schema,
} from './schemas.ts'

export type OpenApi = { readonly [key: string]: unknown; readonly paths: Record<string, Record<string, Operation>> }
type Operation = Record<string, unknown> & {
  parameters: Schema[]
  responses: Record<string, Schema>
}

/** Creates the document. Its examples are requests to the sandbox and the responses. */
export async function createOpenApi(): Promise<OpenApi> {
  const bodies: Record<string, Schema> = {}
  const paths: OpenApi['paths'] = {}
  for (const resource of model) {
    for (const call of resource.calls) {
      const { request } = call
      if (!request) continue
      const path = request.path.replaceAll(/:(\w+)/g, '{$1}')
      const method = request.method.toLowerCase()
      const item = paths[path] ?? {}
      paths[path] = item
      const operation = await createOperation(resource, call, request, bodies)
      const first = item[method]
      item[method] = first ? mergeOperations(first, operation) : operation
      if (request.api === 'opener') Object.assign(item, { servers: [createServer('openerUrl')] })
    }
  }
  const schemas = { ...createResponseSchemas(), ...bodies, ...createEnvelopeSchemas() }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Short-link platform: management API and app-opener API',
      version: '3',
      summary:
        'Short links, branded domains, campaigns, channels, files, pixels, QR codes, and links that open in apps.',
      description: createIntroduction(),
      license: { name: manifest.license, identifier: manifest.license },
    },
    servers: [createServer('baseUrl')],
    security: [{ key: [] }],
    tags: model.map(({ name, docs }) => ({ name: getTag(name), description: docs.text })),
    paths,
    components: {
      schemas: Object.fromEntries(Object.entries(schemas).sort(([one], [other]) => (one < other ? -1 : 1))),
      headers: headerComponents,
      responses: await createRefusalComponents(),
      securitySchemes: {
        key: { type: 'http', scheme: 'bearer', description: 'The API key of the account, which is a secret.' },
      },
    },
  }
}

const getTag = (resource: string) => (resource === 'links' ? 'links (outside the reference)' : resource)

const createIntroduction =
  () => `The management API manages the domains, campaigns, channels, files, pixels and QR codes of an account. The app-opener API creates links that open in apps. Both use JSON.

This document is generated from the code of \`${manifest.name}\`, a client of both. It follows the platform's reference; the descriptions note how servers differ.

## Errors

${getDocs(getExports('src/client/definition.ts').get('Envelope')!).text}

## Values

${getFirstParagraph(readModuleDocs('src/client/platform/values.ts').text)}

## Rate limit

${getDocs(getExports('src/client/platform/rate-headers.ts').get('rateHeaders')!).text}`

const getFirstParagraph = (text: string) => text.split('\n\n')[0]!

/** Returns the server whose address is an option of the client. */
function createServer(option: 'baseUrl' | 'openerUrl'): Schema {
  const description = splitDocs(getDocs(clientOptions.get(option)).text).summary
  const [, example] = /`(https:[^`]+)`/.exec(description) ?? []
  return { url: `{${option}}`, description, variables: { [option]: { default: example } } }
}

const main = getExports('src/index.ts')

/** Returns the members of an interface by name. */
const getFields = (type: DeclarationReflection) => new Map(getMembers(type).map((member) => [member.name, member]))

const clientOptions = getFields(main.get('ShortLinkClientOptions')!)

async function createOperation(
  resource: ResourceModel,
  call: CallModel,
  request: RequestModel,
  bodies: Record<string, Schema>,
): Promise<Operation> {
  const [example = ''] = call.docs.examples
  const program = completeProgram(example)
  const exchange = await recordExchange(request, program, call.name)
  const { summary, description } = splitDocs(call.docs.text)
  const body = createRequestBody(request, exchange, bodies)
  return {
    operationId: call.name,
    tags: [getTag(resource.name)],
    summary,
    ...(description && { description }),
    // The reference does not show how the app opener takes a key.
    ...(request.api === 'opener' && { security: [{}, { key: [] }] }),
    parameters: createParameters(request, exchange),
    ...(body && { requestBody: body }),
    responses: {
      200: {
        description: describeResponse(call),
        ...(request.api === 'management' && { headers: createHeaderReferences(Object.keys(headerTexts).slice(0, 3)) }),
        content: {
          'application/json': { schema: createResponseSchema(call, request, exchange), example: exchange.body },
        },
      },
      ...createRefusals(call, request),
    },
    'x-codeSamples': [{ lang: 'TypeScript', label: manifest.name, source: program }],
  }
}

/** Merges the search for a link into the list of links, which is the same request with other parameters. */
function mergeOperations(list: Operation, search: Operation): Operation {
  const both = [list, search]
  const contents = both.map(({ responses }) => (responses[200]!.content as Record<string, Schema>)['application/json']!)
  const examples = both.map(({ operationId, summary }, index) => [
    operationId,
    { summary, value: contents[index]!.example },
  ])
  const content = {
    schema: { anyOf: contents.map(({ schema }) => schema) },
    examples: Object.fromEntries(examples),
  }
  return {
    ...list,
    description: `**${search.summary}.** ${search.description}`,
    parameters: [...list.parameters, ...search.parameters],
    responses: { ...list.responses, 200: { ...list.responses[200], content: { 'application/json': content } } },
    'x-codeSamples': both.flatMap((operation) => operation['x-codeSamples']),
  }
}

async function recordExchange(request: RequestModel, program: string, name: string): Promise<Exchange> {
  const { exchanges } = await run(program).catch((error) => {
    throw new Error(`the example of ${name} fails: ${(error as Error).message}\n${program}`, { cause: error })
  })
  const wanted = request.queryParams.map((parameter) => parameter.name)
  const found = exchanges.find(
    ({ request: sent }) =>
      sent.method === request.method &&
      sent.api === request.api &&
      matchPath(request.path, sent.path) &&
      wanted.every((parameter) => parameter in sent.query),
  )
  if (found?.request.status !== 200) throw new Error(`the example of ${name} does not make its request`)
  return found
}

function createParameters(request: RequestModel, { request: sent }: Exchange): Schema[] {
  const values = matchPath(request.path, sent.path) ?? {}
  const inPath = request.pathParams.map(({ name, argument, check }) => {
    const description = getDocs(argument).text || getDocs(getDeclaration(argument.type)).text
    return {
      name,
      in: 'path',
      required: true,
      ...(description && { description }),
      schema: getParameterSchema({ ...check, required: true }),
      example: values[name],
    }
  })
  const ofQuery = request.query ? getParameters(getDeclaration(request.query.type)!, request.checks) : []
  const alone = request.queryParams.map(({ name, argument }) => {
    const schema: Schema = { ...getCheckSchema(string), description: getDocs(argument).text }
    return { name, required: false, schema }
  })
  const inQuery = [...ofQuery, ...alone].map(({ name, schema: { description, ...schema }, required }) => {
    const value = sent.query[name]
    const example = value !== undefined && { example: schema.type === 'integer' ? Number(value) : value }
    return { name, in: 'query', required, ...(description !== undefined && { description }), schema, ...example }
  })
  return [...inPath, ...inQuery]
}

function createRequestBody(
  request: RequestModel,
  { request: sent }: Exchange,
  bodies: Record<string, Schema>,
): Schema | undefined {
  if (request.content) {
    const schema = { type: 'string', format: 'binary' }
    const example = new TextDecoder().decode(sent.body as Uint8Array)
    return {
      required: true,
      description: getDocs(request.content).text,
      content: { [sent.headers['content-type']!]: { schema, example } },
    }
  }
  if (!request.body) return undefined
  const type = getDeclaration(request.body.type)!
  bodies[type.name] = createBodySchema(type, request.checks)
  return { required: true, content: { 'application/json': { schema: reference(type.name), example: sent.body } } }
}

function describeResponse({ docs, isList, result }: CallModel): string {
  if (docs.returns) return docs.returns
  const { text } = getDocs(getDeclaration(result))
  return isList ? `A page of: ${text[0]!.toLowerCase()}${text.slice(1)}` : text
}

function createResponseSchema(
  { isList }: CallModel,
  { schema, resultAt, api }: RequestModel,
  { body }: Exchange,
): Schema {
  const success = reference('Success')
  const result = reference(getSchemaName(schema))
  if (isList) {
    const { data } = body as { data?: unknown }
    const page = { allOf: [reference('PageNumbers'), createRowsSchema(resultAt as readonly string[], result)] }
    return data ? { allOf: [success, wrapInKey('data', page)] } : { allOf: [success, ...page.allOf] }
  }
  if (resultAt === 'data') return { allOf: [success, wrapInKey('data', result)] }
  // The app opener responds with the link alone.
  return api === 'opener' ? result : { allOf: [success, result] }
}

const wrapInKey = (key: string, schema: Schema): Schema => ({
  type: 'object',
  required: [key],
  properties: { [key]: schema },
})

/** Returns the schema of the rows of a page, under the documented key or under another. */
function createRowsSchema([key, ...others]: readonly string[], row: Schema): Schema {
  const rows = { type: 'array', items: row }
  const properties = Object.fromEntries(
    others.map((other) => [other, { ...rows, description: `The same as \`${key}\`, on some servers.` }]),
  )
  return {
    type: 'object',
    ...(others.length > 0 ? requireAnyKey([key!, ...others]) : { required: [key] }),
    properties: { [key!]: rows, ...properties },
  }
}

function createEnvelopeSchemas(): Record<string, Schema> {
  // The client adds these two fields.
  const numbers = getMembers(main.get('Page')!).filter(({ name }) => name !== 'items')
  const numberSchema = (member: DeclarationReflection) => {
    const description = getDocs(member).text
    return { type: member.name === 'nextpage' ? ['integer', 'null'] : 'integer', ...(description && { description }) }
  }
  return {
    Success: {
      type: 'object',
      description: 'The part that every successful response of the management API has.',
      required: ['error'],
      properties: {
        error: {
          description: '`0`; the string `"0"` in lists.',
          // Not an enum: generators such as orval give both values the same name.
          anyOf: [
            { type: 'integer', const: 0 },
            { type: 'string', const: '0' },
          ],
        },
      },
    },
    Refusal: {
      type: 'object',
      description: getDocs(getExports('src/client/definition.ts').get('Envelope')!).text,
      required: ['error'],
      properties: {
        error: {
          description: '`1`; the app opener sends a text too.',
          type: ['integer', 'string'],
          not: { enum: [0, '0'] },
        },
        message: { description: 'A text in the language of the site: do not compare it.', type: 'string' },
      },
    },
    PageNumbers: {
      type: 'object',
      description: 'The position of a page in its list.',
      required: numbers.filter(({ type }) => !/\bundefined\b/.test(String(type))).map(({ name }) => name),
      properties: Object.fromEntries(numbers.map((member) => [member.name, numberSchema(member)])),
    },
  }
}

const rateMembers = getFields(getExports('src/client/platform/rate-headers.ts').get('ParsedRateHeaders')!)

/** Descriptions of the rate-limit headers. The first three are in every response. */
const headerTexts: Record<string, string> = {
  [rateHeaders.limit]: getDocs(rateMembers.get('limit')).text,
  [rateHeaders.remaining]: getDocs(rateMembers.get('remaining')).text,
  [rateHeaders.reset]: getDocs(rateMembers.get('reset')).text,
  [rateHeaders.retryAfter]: 'How long to wait, in seconds.',
}

const headerComponents = Object.fromEntries(
  Object.entries(headerTexts).map(([name, description]) => [
    name,
    { description, schema: { type: 'integer', minimum: 0 } },
  ]),
)

const createHeaderReferences = (names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

/** Statuses that the client has an error class for, with their descriptions, by class name. */
const refusalStatuses = new Map(
  [...main].flatMap(([name, symbol]) => {
    const { text } = getDocs(symbol)
    const [, status, meaning] = /^(\d{3}|5xx): (.*)$/.exec(getFirstParagraph(text)) ?? []
    return status && meaning ? [[name, { status: status.toUpperCase(), meaning: toSentence(meaning) }] as const] : []
  }),
)

function toSentence(text: string): string {
  return `${text[0]!.toUpperCase()}${text.slice(1)}`.replace(/([^.])$/, '$1.')
}

/** Returns the responses that refuse a call: those of every call, and those in its docstring. */
function createRefusals({ docs }: CallModel, { api }: RequestModel): Record<string, Schema> {
  const named = new Map(docs.throws.map(({ error, when }) => [error, toSentence(when)]))
  const isCommon = (name: string) => api === 'management' && name !== 'NotFoundError'
  const refusal = (name: string) => {
    const description = named.get(name)
    return { $ref: `#/components/responses/${name}`, ...(description && { description }) }
  }
  const names = [...refusalStatuses.keys()].filter((name) => isCommon(name) || named.has(name))
  return {
    ...Object.fromEntries(names.map((name) => [refusalStatuses.get(name)!.status, refusal(name)])),
    '4XX': refusal('ApiError'),
  }
}

/** Programs whose last request the sandbox refuses, by the error class of the refusal. */
const refusedPrograms: Record<string, string> = {
  ApiError: 'await client.campaigns.create({ name: "Again", slug: "spring-tea" })',
  AuthenticationError: 'await client.withOptions({ apiKey: "wrong" }).account.get()',
  NotFoundError: 'await client.domains.delete(99)',
  RateLimitError: 'for (let sent = 0; ; sent++) await client.withOptions({ rateLimit: false, retry: 0 }).account.get()',
}

async function createRefusalComponents(): Promise<Record<string, Schema>> {
  const apiError = getDocs(main.get('ApiError')).text
  const all = [
    ...[...refusalStatuses].map(([name, { meaning }]) => [name, meaning] as const),
    ['ApiError', apiError] as const,
  ]
  const components = all.map(async ([name, description]) => {
    const program = refusedPrograms[name]
    const ran = program ? await run(completeProgram(`try { ${program} } catch {}`)) : undefined
    const example = ran?.exchanges.at(-1)?.body
    const component = {
      description,
      ...(name === 'RateLimitError' && { headers: createHeaderReferences([rateHeaders.retryAfter]) }),
      content: { 'application/json': { schema: reference('Refusal'), ...(example !== undefined && { example }) } },
    }
    return [name, component] as const
  })
  return Object.fromEntries(await Promise.all(components))
}
