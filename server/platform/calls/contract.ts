import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { operations } from '../../../client/contract.gen.ts'
import { buildDeprecationHeaders } from './deprecation.ts'

export type OperationId = keyof operations & string
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** An operation of the API contract in the form that the server uses. */
export interface Operation {
  readonly id: OperationId
  readonly method: Method
  /** The path with its parameters in braces, such as /api/ext/vendors/{vendorId}. */
  readonly path: string
  /** The accepted security schemes, with the required permissions of each. Empty if no authentication is required. */
  readonly schemes: ReadonlyMap<string, readonly string[]>
  /** The permissions that an API key must have. Empty if API keys are not accepted. */
  readonly permissions: readonly string[]
  /** The events that the operation can record (`x-emits`). */
  readonly emits: readonly string[]
  readonly takesBody: boolean
  /** The maximum size of the body in bytes (`x-max-body-bytes`); null if the general limit applies. */
  readonly mostBodyBytes: number | null
  /**
   * The maximum size in bytes of a file that is sent instead of JSON (`x-max-upload-bytes`); null if the operation does
   * not accept files.
   */
  readonly mostUploadBytes: number | null
  readonly takesQuery: boolean
  /** Whether the successful response has an ETag. */
  readonly carriesETag: boolean
  /**
   * The fields of the response that can change together with other records, without a new version of this record
   * (`x-follows`).
   */
  readonly follows: readonly string[]
  /** The names of the declared headers in lowercase. All other headers are ignored. */
  readonly headers: ReadonlySet<string>
  /** The deprecation headers of responses; null if the operation is not deprecated. */
  readonly notice: Readonly<Record<string, string>> | null
  readonly declaration: OperationObject
}

export interface OperationObject {
  operationId: string
  summary?: string
  description?: string
  tags?: string[]
  deprecated?: boolean
  'x-sunset'?: string
  'x-emits'?: string[]
  /**
   * The effect of the operation on existing records, if the HTTP method does not imply it (see
   * server/interfaces/skills/skill-effect.ts).
   */
  'x-effect'?: 'reads' | 'adds' | 'settles' | 'replaces' | 'moves'
  /** False if models cannot use the operation as a tool. */
  'x-tool'?: boolean
  /**
   * False if the operation cannot be a skill, because it returns a secret, which must not be stored in an execution, a
   * batch, or a proposal.
   */
  'x-skill'?: false
  /** Requests in the words of office staff for which the search for skills should return this operation. */
  'x-phrases'?: readonly string[]
  'x-max-body-bytes'?: number
  'x-max-upload-bytes'?: number
  /** The fields of the response that are shown only once. */
  'x-shows-once'?: string[]
  security?: Record<string, string[]>[]
  parameters?: (ParameterObject | SchemaReference)[]
  requestBody?: {
    required?: boolean
    content: Record<string, { schema: Schema; examples?: Record<string, { summary?: string }> }>
  }
  responses: Record<string, ResponseObject | SchemaReference>
}
export interface ParameterObject {
  name: string
  in: 'query' | 'path' | 'header' | 'cookie'
  required?: boolean
  description?: string
  schema: Schema
}
export interface ResponseObject {
  description: string
  headers?: Record<string, unknown>
  content?: Record<string, { schema: Schema }>
}
export interface SchemaReference {
  $ref: string
}
export type Schema = Record<string, unknown>
type PathItem = { parameters?: (ParameterObject | SchemaReference)[] } & Partial<
  Record<Lowercase<Method>, OperationObject>
>

export interface ContractDocument {
  openapi: string
  info: { title: string; version: string; description?: string; license?: { name: string; identifier?: string } }
  servers?: { url: string }[]
  security?: Record<string, string[]>[]
  tags?: { name: string }[]
  'x-tagGroups'?: TagGroup[]
  /**
   * For each schema, the fields that can change together with other records, without a new version of the record
   * itself.
   */
  'x-follows'?: Record<string, string[]>
  /**
   * For each schema, the schemas of the records to which its IDs refer. The keys are the names of the ID fields without
   * their suffix.
   */
  'x-expands'?: Record<string, Record<string, string>>
  paths: Record<string, PathItem>
  webhooks?: Record<string, unknown>
  components: Record<string, Record<string, unknown>>
  [extension: `x-${string}`]: unknown
}

/** A group of related tags. */
export interface TagGroup {
  name: string
  tags: string[]
}

export interface Contract {
  readonly document: ContractDocument
  readonly version: string
  readonly operations: ReadonlyMap<OperationId, Operation>
  /** Returns the operation for a request or, if the path allows only other methods, these methods. */
  match(method: string, path: string): RouteMatch
  /** Returns the value to which a reference in the document points. Returns all other values unchanged. */
  resolve<T extends object>(value: T | SchemaReference): T
}

export type RouteMatch =
  | { operation: Operation; params: Record<string, string> }
  | { operation: null; allow: readonly Method[] }

export class ContractError extends Error {}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
const root = path.resolve(import.meta.dirname, '../../..')

/**
 * Loads the contract as prepared by `npm run generate`, which compiles all of its schemas. Throws if the contract has
 * been edited since, because the types, the validation, and the handlers would no longer match it.
 */
export function loadContract(): Contract {
  const prepared = JSON.parse(readFileSync(path.join(root, 'server/contract.gen.json'), 'utf8')) as {
    sourceHash: string
    document: ContractDocument
  }
  const written = hashContractSource()
  if (written !== null && written !== prepared.sourceHash) {
    throw new ContractError(
      'The contract has changed since "npm run generate" was last run. Run the command again, then start the service.',
    )
  }
  return readContract(prepared.document)
}

/** Returns the hash of openapi.yaml and all files in contract/; null if only generated files are installed. */
export function hashContractSource(): string | null {
  const index = path.join(root, 'openapi.yaml')
  if (!existsSync(index)) return null
  const folder = path.join(root, 'contract')
  const files = readdirSync(folder).filter((file) => file.endsWith('.yaml'))
  const hash = createHash('sha256').update(readFileSync(index))
  for (const file of files.sort()) hash.update(`\0${file}\0`).update(readFileSync(path.join(folder, file)))
  return hash.digest('hex')
}

export function readContract(document: ContractDocument): Contract {
  const operations = new Map<OperationId, Operation>()
  const trunk = newRouteNode()
  for (const [template, item] of Object.entries(document.paths)) {
    for (const method of METHODS) {
      const declaration = item[method.toLowerCase() as Lowercase<Method>]
      if (declaration === undefined) continue
      const parameters = [...(item.parameters ?? []), ...(declaration.parameters ?? [])]
      const declared = parameters.map((parameter) => resolve<ParameterObject>(document, parameter))
      const schemes = getSchemes(document, declaration)
      const operation: Operation = {
        // The types are generated from the same document, so they contain exactly its operation IDs.
        id: declaration.operationId as OperationId,
        method,
        path: template,
        schemes,
        permissions: schemes.get('apiKey') ?? [],
        emits: declaration['x-emits'] ?? [],
        takesBody: declaration.requestBody !== undefined,
        mostBodyBytes: declaration['x-max-body-bytes'] ?? null,
        mostUploadBytes: declaration['x-max-upload-bytes'] ?? null,
        takesQuery: declared.some((parameter) => parameter.in === 'query'),
        ...getEtag(document, declaration),
        headers: new Set(declared.flatMap(({ in: where, name }) => (where === 'header' ? [name.toLowerCase()] : []))),
        notice: buildDeprecationHeaders(document, declaration),
        declaration: { ...declaration, parameters },
      }
      if (operations.has(operation.id)) throw new ContractError(`${operation.id} is declared twice.`)
      operations.set(operation.id, operation)
      addRoute(trunk, operation)
    }
  }
  return {
    document,
    version: document.info.version,
    operations,
    match: (method, requestPath) => findRoute(trunk, method, requestPath),
    resolve: (value) => resolve(document, value),
  }
}

/**
 * Returns whether programs can call the operation: the builder's programs with an API key, or a vendor's program with a
 * portal token. All other operations are only for the pages of the service.
 */
export function isOpenToApiClients({ schemes }: Operation): boolean {
  return schemes.has('apiKey') || schemes.has('portalToken')
}

/**
 * Returns whether the operation is a skill. Agents of the builder cannot act for vendors in the portal, and an
 * operation that runs skills would only wrap another skill.
 */
export function isSkill({ id, schemes, declaration }: Operation): boolean {
  return schemes.has('apiKey') && declaration['x-skill'] !== false && !SKILL_RUNNERS.has(id)
}

const SKILL_RUNNERS: ReadonlySet<string> = new Set([
  'executeSkill',
  'executeBatch',
  'createProposal',
  'approveProposal',
])

function getEtag(
  document: ContractDocument,
  { responses }: OperationObject,
): Pick<Operation, 'carriesETag' | 'follows'> {
  for (const [status, declared] of Object.entries(responses)) {
    const { headers = {}, content } = resolve<ResponseObject>(document, declared)
    if (!status.startsWith('2') || !('ETag' in headers)) continue
    const { $ref } = content?.['application/json']?.schema ?? {}
    const name = typeof $ref === 'string' ? $ref.slice($ref.lastIndexOf('/') + 1) : ''
    return { carriesETag: true, follows: document['x-follows']?.[name] ?? [] }
  }
  return { carriesETag: false, follows: [] }
}

// An operation has separate security requirements with one scheme each. Meeting one of them is sufficient.
function getSchemes(document: ContractDocument, declaration: OperationObject): Map<string, readonly string[]> {
  const schemes = new Map<string, readonly string[]>()
  const stated = declaration.security ?? document.security
  if (stated === undefined)
    throw new ContractError(`Expected ${declaration.operationId} to declare its security requirements.`)
  for (const requirement of stated) {
    const [only, ...more] = Object.entries(requirement)
    if (only === undefined || more.length > 0)
      throw new ContractError(`Expected each security requirement of ${declaration.operationId} to name one scheme.`)
    schemes.set(...only)
  }
  return schemes
}

function resolve<T extends object>(document: ContractDocument, value: T | SchemaReference): T {
  if (!('$ref' in value) || typeof value.$ref !== 'string') return value as T
  let at: unknown = document
  for (const step of value.$ref.slice(2).split('/')) {
    at = (at as Record<string, unknown>)[step.replaceAll('~1', '/').replaceAll('~0', '~')]
  }
  if (at === undefined) throw new ContractError(`The reference ${value.$ref} does not match anything in the contract.`)
  return resolve(document, at as T | SchemaReference)
}

// The routes form a tree of path segments, so the time of a lookup does not depend on the number of operations. A
// literal segment takes precedence over a parameter: in /bids/request, `request` is not the ID of a bid.
interface RouteNode {
  literals: Map<string, RouteNode>
  parameter: RouteNode | null
  operations: Map<string, { operation: Operation; names: string[] }>
}

function newRouteNode(): RouteNode {
  return { literals: new Map(), parameter: null, operations: new Map() }
}

function addRoute(trunk: RouteNode, operation: Operation): void {
  let node = trunk
  const names: string[] = []
  for (const segment of operation.path.slice(1).split('/')) {
    const name = /^\{(\w+)\}$/.exec(segment)?.[1]
    if (name === undefined) {
      const next = node.literals.get(segment) ?? newRouteNode()
      node.literals.set(segment, next)
      node = next
    } else {
      names.push(name)
      node.parameter ??= newRouteNode()
      node = node.parameter
    }
  }
  node.operations.set(operation.method, { operation, names })
}

function findRoute(trunk: RouteNode, method: string, requestPath: string): RouteMatch {
  const values: string[] = []
  const node = walkRoute(trunk, requestPath.slice(1).split('/'), 0, values)
  const found = node?.operations.get(method)
  if (node === null || found === undefined) {
    return { operation: null, allow: node === null ? [] : ([...node.operations.keys()] as Method[]) }
  }
  const params: Record<string, string> = {}
  found.names.forEach((name, i) => {
    params[name] = values[i] ?? ''
  })
  return { operation: found.operation, params }
}

function walkRoute(node: RouteNode, segments: string[], at: number, values: string[]): RouteNode | null {
  const segment = segments[at]
  if (segment === undefined) return node.operations.size > 0 ? node : null
  const literal = node.literals.get(segment)
  if (literal !== undefined) {
    const found = walkRoute(literal, segments, at + 1, values)
    if (found !== null) return found
  }
  if (node.parameter === null || segment === '') return null
  values[values.length] = segment
  const found = walkRoute(node.parameter, segments, at + 1, values)
  if (found === null) values.pop()
  return found
}
