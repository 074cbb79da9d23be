import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import SwaggerParser from '@apidevtools/swagger-parser'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { createSandbox, type SandboxRequest } from 'shortlink-sdk/testing'
import { describe, expect, it } from 'vitest'
import '../../scripts/openapi.ts'
import { ShortLinkClient } from 'shortlink-sdk'
import { getCheckSchema } from '../../scripts/api/check-schemas.ts'
import { model } from '../../scripts/api/model.ts'
import { rows, seed } from '../calls.ts'
import { now } from '../testing/send.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

interface OpenApi {
  readonly servers: readonly Server[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>> & { readonly servers?: readonly Server[] }>>
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> }
}

interface Server {
  readonly variables: Readonly<Record<string, { readonly default: string }>>
}

const document: OpenApi = JSON.parse(await readFile(`${root}dist/openapi.json`, 'utf8'))

interface Operation {
  readonly operationId: string
  readonly security?: readonly unknown[]
  readonly parameters: readonly { name: string; in: 'path' | 'query'; required: boolean; schema: JsonSchema }[]
  readonly requestBody?: { readonly content: Record<string, unknown> }
  readonly responses: Record<string, { readonly $ref?: string; readonly headers?: object; readonly content?: object }>
}

/** The operations by method and path, and where each stands in the document. */
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).flatMap(([method, operation]) =>
    'operationId' in (operation as object)
      ? [
          {
            method: method.toUpperCase(),
            path,
            at: `/paths/${pointerKey(path)}/${method}`,
            operation: operation as Operation,
          },
        ]
      : [],
  ),
)

/** A key as a JSON pointer in an address has it. */
function pointerKey(key: string): string {
  return encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))
}

interface JsonSchema {
  readonly type?: unknown
  readonly required?: readonly string[]
  readonly $ref?: string
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly items?: JsonSchema
  readonly additionalProperties?: JsonSchema
  readonly allOf?: readonly JsonSchema[]
  readonly anyOf?: readonly JsonSchema[]
}

/** Returns the values of every `enum` with a type of its own. Generators create no type for `not`. */
function listEnums(schema: unknown): unknown[][] {
  if (typeof schema !== 'object' || schema === null) return []
  const { enum: values, not: _, ...rest } = schema as { enum?: unknown; not?: unknown }
  const own = Array.isArray(values) ? [values] : []
  return [...own, ...Object.values(rest).flatMap(listEnums)]
}

it('has only enums of strings that differ without case and punctuation, so that generators can name the values', () => {
  const enums = listEnums(document)
  expect(enums.length).toBeGreaterThan(2)
  for (const values of enums) {
    expect(values.map((value) => typeof value)).toEqual(values.map(() => 'string'))
    expect(new Set(values.map((value) => String(value).toLowerCase().replaceAll(/\W/g, ''))).size).toBe(values.length)
  }
})

/** The schema of a value, under which an object has no key that is not documented. */
function closed(schema: JsonSchema): JsonSchema {
  const parts = closedParts(schema)
  if (schema.properties || schema.allOf || schema.$ref) return { ...parts, unevaluatedProperties: false } as JsonSchema
  return schema.anyOf ? { ...parts, anyOf: schema.anyOf.map(closed) } : parts
}

/** The same of what is a part of a value's schema: only what lies inside is closed. */
function closedParts(schema: JsonSchema): JsonSchema {
  const { properties, items, additionalProperties, allOf, anyOf } = schema
  return {
    ...schema,
    ...(properties && { properties: mapped(properties, closed) }),
    ...(items && { items: closed(items) }),
    ...(additionalProperties && { additionalProperties: closed(additionalProperties) }),
    ...(allOf && { allOf: allOf.map(closedParts) }),
    ...(anyOf && { anyOf: anyOf.map(closedParts) }),
  }
}

const mapped = (schemas: Readonly<Record<string, JsonSchema>>, change: (schema: JsonSchema) => JsonSchema) =>
  Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, change(schema)]))

/** The document with the schema of every request and response closed. */
const closedDocument: object = JSON.parse(JSON.stringify(document), (key, value) => {
  if (key === 'schemas') return mapped(value, closedParts)
  return key === 'application/json' ? { ...value, schema: closed(value.schema) } : value
})

const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true, strictRequired: false, strictTypes: false })
addFormats.default(ajv)
ajv.addVocabulary(['openapi', 'info', 'servers', 'security', 'tags', 'paths', 'components', 'example'])
ajv.addSchema(closedDocument, 'openapi')

const validators = new Map<string, ValidateFunction>()

/** The misfits of a value with the schema at this place in the document. */
function misfits(pointer: string, value: unknown): string[] {
  const validate = validators.get(pointer) ?? ajv.compile({ $ref: `openapi#${pointer}` })
  validators.set(pointer, validate)
  return validate(value) ? [] : validate.errors!.map(({ instancePath, message }) => `${instancePath} ${message}`)
}

function operationOf(request: Pick<SandboxRequest, 'method' | 'path'>) {
  const found = operations.find(
    ({ method, path }) =>
      method === request.method && new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(request.path),
  )
  if (!found) throw new Error(`${request.method} ${request.path} is not in the document`)
  return found
}

/** The parts of a request that the document does not describe. */
function requestMisfits(request: SandboxRequest): string[] {
  const { operation, path, at } = operationOf(request)
  const values: Record<string, Record<string, string>> = {
    query: request.query,
    path: new RegExp(`^${path.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`).exec(request.path)?.groups ?? {},
  }
  const known = new Set(operation.parameters.map(({ name }) => name))
  const unknown = Object.keys(request.query).filter((name) => !known.has(name))
  const ofParameters = operation.parameters.flatMap(({ name, in: place, required, schema }, index) => {
    const text = values[place]?.[name]
    if (text === undefined) return required ? [`${name} is missing`] : []
    const value = schema.type === 'integer' ? Number(text) : decodeURIComponent(text)
    return misfits(`${at}/parameters/${index}/schema`, value).map((misfit) => `${name}${misfit}`)
  })
  const [mediaType] = Object.keys(operation.requestBody?.content ?? {})
  const body = request.body instanceof Uint8Array ? new TextDecoder().decode(request.body) : request.body
  const ofBody = mediaType
    ? misfits(`${at}/requestBody/content/${pointerKey(mediaType)}/schema`, body)
    : request.size
      ? ['a body is sent that is not in the document']
      : []
  const isTyped = mediaType === undefined || request.headers['content-type'] === mediaType
  const hasKey = 'authorization' in request.headers
  return [
    ...unknown.map((name) => `${name} is not in the document`),
    ...ofParameters,
    ...ofBody,
    ...(isTyped ? [] : [`the body is sent as ${request.headers['content-type']}, not as ${mediaType}`]),
    ...(hasKey === (operation.security === undefined) ? [] : ['the document says otherwise whether a key is sent']),
  ]
}

/** The parts of a response that the document does not describe. */
async function responseMisfits(request: SandboxRequest, response: Response): Promise<string[]> {
  const { operation, at } = operationOf(request)
  const status = [String(response.status), `${String(response.status)[0]}XX`].find((key) => key in operation.responses)
  if (status === undefined) return [`${response.status} is not in the document`]
  const documented = operation.responses[status]!
  const place = documented.$ref?.slice(1) ?? `${at}/responses/${status}`
  const missing = Object.keys(documented.headers ?? {}).filter((name) => !response.headers.has(name))
  return [
    ...misfits(`${place}/content/${pointerKey('application/json')}/schema`, await response.clone().json()),
    ...missing.map((name) => `the header ${name} is missing`),
  ]
}

/** Makes a call against the sandbox. Gives the requests with their responses. */
async function exchanges(call: (client: ShortLinkClient) => PromiseLike<unknown>) {
  const sandbox = createSandbox({ data: seed, rateLimit: {}, now: () => now })
  const seen: { request: SandboxRequest; response: Response }[] = []
  const fetch: typeof globalThis.fetch = async (...parameters) => {
    const responding = sandbox.fetch(...parameters)
    const request = sandbox.requests.at(-1)!
    const response = await responding
    seen.push({ request, response: response.clone() })
    return response
  }
  await call(new ShortLinkClient({ ...sandbox.clientOptions, fetch, retry: 0 })).then(undefined, () => undefined)
  return seen
}

/** The check of every parameter of every call. */
const checks = model.flatMap(({ calls }) =>
  calls.flatMap(({ name, request }) => [
    ...Object.entries(request?.checks ?? {}).map(([parameter, check]) => ({ at: `${name} ${parameter}`, check })),
    ...(request?.pathParams ?? []).map((parameter) => ({ at: `${name} ${parameter.name}`, check: parameter.check })),
  ]),
)

/** Valid and invalid values of every kind of parameter. */
const strings = ['', 'text', '0', '7', '07', '2027-01-31', '2027-01-31 18:00:00', '#FF0000', 'rgb(0,0,0)', 'a/b']
const addresses = ['https://go.example', 'https://shop.example/tea', 'myapp://open', 'shop.example/tea']
const names = checks.flatMap(({ check }) => check.values ?? [])
const pairs = ['location', 'device', 'language'].flatMap((name) =>
  ['', ...addresses, 7].map((link) => ({ [name]: 'text', link })),
)
const items = [...pairs, { name: 'text', value: '' }, { name: '', value: 'text' }, { name: 'text' }, { apple: 7 }, {}]
const scalars = [...strings, ...addresses, ...names, 0, 7, -7, 7.5, true, false]
const samples = [...scalars, ...items, [], ...[...scalars, ...items].map((item) => [item])]

describe('openapi.json', () => {
  it('openapi.json is valid for a public linter, which warns of nothing', { timeout: 400_000 }, async () => {
    const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
    const lint = ['redocly', 'lint', 'dist/openapi.json', '--extends=recommended-strict', '--format=json']
    const { stdout } = await promisify(execFile)('npx', lint, { cwd: root, env })
    expect(JSON.parse(stdout)).toMatchObject({ totals: { errors: 0, warnings: 0 }, problems: [] })
  })

  it('openapi.json is valid for swagger-cli', async () => {
    // Its validator. It resolves the references of the document that it gets.
    await SwaggerParser.validate(structuredClone(document) as never)
  })

  it('the schema of each parameter accepts the values that its check accepts', () => {
    expect(checks.length).toBeGreaterThan(120)
    const different = checks.flatMap(({ at, check }) => {
      const schema = getCheckSchema(check)
      const accepts = ajv.compile(schema)
      // A pattern cannot tell whether a date exists, and no schema of a file name is complete.
      const mayBeLooser = 'pattern' in schema || at === 'files.upload filename'
      const wrong = samples.filter((value) => {
        const isAccepted = accepts(value)
        return isAccepted !== check.isValid(value) && !(mayBeLooser && isAccepted)
      })
      const isAlwaysInvalid = !samples.some(check.isValid)
      return [...wrong.map((value) => `${at}: ${JSON.stringify(value)}`), ...(isAlwaysInvalid ? [at] : [])]
    })
    expect(different).toEqual([])
  })

  it('openapi.json has every call of the client', () => {
    const documented = operations.map(({ operation }) => operation.operationId)
    // GET /urls is both the list and, with another parameter, the search.
    expect(
      rows
        .map(([name]) => name)
        .filter((name) => name !== 'links.find')
        .sort(),
    ).toEqual(documented.sort())
  })

  it('openapi.json does not require the numbers of a page that servers leave out', () => {
    const { required, properties } = document.components.schemas.PageNumbers!
    const left = Object.keys(properties!).filter((name) => !required!.includes(name))
    expect(left).toEqual(['result', 'maxpage'])
  })

  it.each(rows)('openapi.json has the request of %s and its response', async (_, { call }) => {
    const seen = await exchanges(call)
    expect(seen.map(({ response }) => response.status)).toEqual([200])
    for (const { request, response } of seen) {
      expect(requestMisfits(request)).toEqual([])
      expect(await responseMisfits(request, response)).toEqual([])
    }
  })

  it.each<[string, number, (client: ShortLinkClient) => PromiseLike<unknown>]>([
    ['a wrong key', 401, (client) => client.withOptions({ apiKey: 'wrong' }).account.get()],
    ['an unknown id', 404, (client) => client.qr.get(99)],
    ['a name that is taken', 400, (client) => client.channels.create({ name: 'News' })],
    ['a URL of no supported app', 400, (client) => client.opener.create({ url: 'https://shop.example' })],
    [
      'a call over the rate limit',
      429,
      async (client) => {
        const impatient = client.withOptions({ rateLimit: false })
        for (let sent = 0; sent < 31; sent++) await impatient.splash.list()
      },
    ],
  ])('openapi.json has the refusal of %s', async (_, status, call) => {
    const { request, response } = (await exchanges(call)).at(-1)!
    expect(response.status).toBe(status)
    expect(requestMisfits(request)).toEqual([])
    expect(await responseMisfits(request, response)).toEqual([])
  })
})
