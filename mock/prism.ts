import { createInstance, getHttpOperationsFromSpec, type IHttpOperationConfig } from '@stoplight/prism-http'
import type { Contract, ContractDocument, Operation, Schema } from '../server/platform/calls/contract.ts'

/**
 * Selects and generates responses with Prism, in this process. Prism does not validate requests, because the service's
 * own validator has already done so (see mock.ts).
 */
export interface Prism {
  /** Returns the response to a valid request for the operation, in the preferred form. */
  answer(operation: Operation, preferred: Preference): Promise<MockResponse>
  /** Generates a value that matches a schema. The same seed produces the same value. */
  made(schema: Schema, seed: string): Promise<unknown>
}

export interface Preference {
  code?: number
  example?: string
  /** Whether to generate the response from the schema instead of using an example. */
  dynamic?: boolean
  seed?: string
}

export interface MockResponse {
  status: number
  /** The headers by lowercase name. */
  headers: Record<string, string>
  body: unknown
}

export function createPrism(contract: Contract): Prism {
  const unchecked = { checkSecurity: false, validateRequest: false, validateResponse: false, errors: false } as const
  const config = { ...unchecked, mock: { dynamic: false }, isProxy: false, upstreamProxy: undefined } as const
  const prism = createInstance(config, { logger: silentLogger() })
  // Prism reads each path when the path is first requested, because reading the whole contract would delay the start.
  const read = new Map<string, ReturnType<typeof getHttpOperationsFromSpec>>()
  function operationsOf(path: string, dynamic: boolean): ReturnType<typeof getHttpOperationsFromSpec> {
    const key = `${dynamic} ${path}`
    let operations = read.get(key)
    if (operations === undefined) {
      const own = reduceToPath(contract.document, path, dynamic)
      operations = getHttpOperationsFromSpec(dynamic ? toPrismSchemas(own) : own)
      read.set(key, operations)
    }
    return operations
  }

  return {
    async answer({ path, method }, { code, example, dynamic = false, seed }) {
      const requested: IHttpOperationConfig = {
        dynamic,
        ...(code !== undefined && { code }),
        ...(example !== undefined && { exampleKey: example }),
        ...(seed !== undefined && { seed }),
      }
      const request = { method: METHODS[method], url: { path } }
      const operations = await operationsOf(path, dynamic)
      const outcome = await prism.request(request, operations, { ...config, mock: requested })()
      if (outcome._tag === 'Left') throw outcome.left
      const { statusCode, headers = {}, body } = outcome.right.output
      const plain = Object.entries(headers).filter(([, value]) => value !== null)
      return {
        status: statusCode,
        headers: Object.fromEntries(plain.map(([name, value]) => [name.toLowerCase(), String(value)])),
        body,
      }
    },

    async made(schema, seed) {
      const responses = { 200: { description: '', content: { 'application/json': { schema } } } }
      const paths = { '/made': { get: { operationId: 'made', responses } } }
      const own = toPrismSchemas(reduceToPath({ ...contract.document, paths } as ContractDocument, '/made', true))
      const operations = await getHttpOperationsFromSpec(own)
      const request = { method: 'get', url: { path: '/made' } } as const
      const outcome = await prism.request(request, operations, { ...config, mock: { dynamic: true, seed } })()
      if (outcome._tag === 'Left') throw outcome.left
      return outcome.right.output.body
    },
  }
}

const METHODS = { GET: 'get', POST: 'post', PUT: 'put', PATCH: 'patch', DELETE: 'delete' } as const

/**
 * Returns a copy of the contract that contains only one path and everything to which the path refers. A copy is needed,
 * because Prism modifies its input. Unless responses are generated, the schemas of contents that have examples are left
 * out, because reading schemas takes most of the time.
 */
function reduceToPath(document: ContractDocument, path: string, hasSchemas: boolean): ContractDocument {
  const { openapi, info, jsonSchemaDialect } = document as ContractDocument & { jsonSchemaDialect?: string }
  const components: Record<string, Record<string, unknown>> = {}
  const copied = <Value>(value: Value): Value => {
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return value.map(copied) as Value
    const [, kind, name] = /^#\/components\/([^/]+)\/([^/]+)$/.exec(String((value as { $ref?: unknown }).$ref)) ?? []
    if (kind !== undefined && name !== undefined) {
      components[kind] ??= {}
      const those = components[kind]
      if (!(name in those)) {
        // Registers the component before copying it, because the component may refer to itself.
        those[name] = undefined
        those[name] = copied(document.components[kind]?.[name])
      }
    }
    const isShown = !hasSchemas && 'schema' in value && 'examples' in value
    const entries = Object.entries(value).filter(([key]) => !(isShown && key === 'schema'))
    return Object.fromEntries(entries.map(([key, inner]) => [key, copied(inner)])) as Value
  }
  const item = copied(document.paths[path] ?? {})
  return { openapi, info, ...(jsonSchemaDialect && { jsonSchemaDialect }), paths: { [path]: item }, components }
}

/**
 * Converts schemas to a form that Prism's generator can process. The generator does not know the custom formats of the
 * contract, ignores a format next to a pattern, and fills every list up to its maximum.
 */
function toPrismSchemas<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map(toPrismSchemas) as Value
  if (typeof value !== 'object' || value === null) return value
  const schema = Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, toPrismSchemas(inner)]))
  const { format, pattern, examples, minItems = 0, maxItems, additionalProperties } = schema
  if (typeof format === 'string' && format in DECIMALS) {
    delete schema.format
    schema.multipleOf = DECIMALS[format]
  }
  if (typeof pattern === 'string') {
    if (typeof format === 'string') delete schema.pattern
    else if (pattern.includes('[\\s\\S]') && Array.isArray(examples)) schema.enum = examples
  }
  if (typeof maxItems === 'number') schema.maxItems = Math.max(Number(minItems), Math.min(maxItems, MAX_ITEMS))
  if (additionalProperties === true) schema.additionalProperties = false
  return schema as Value
}

const DECIMALS: Record<string, number> = { money: 0.01, percent: 0.01, 'unit-price': 0.0001, quantity: 0.0001 }
/** The maximum number of generated items: enough to recognize a list. */
const MAX_ITEMS = 3

// Returns a logger that writes nothing. Prism would log every step, and main.ts already prints each request.
function silentLogger(): Parameters<typeof createInstance>[1]['logger'] {
  const say = () => {}
  const logger = {
    trace: say,
    debug: say,
    info: say,
    success: say,
    start: say,
    warn: say,
    error: say,
    fatal: say,
    child: () => logger,
  }
  return logger as unknown as Parameters<typeof createInstance>[1]['logger']
}
