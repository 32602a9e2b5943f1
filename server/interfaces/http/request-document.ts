import type { Contract, ContractDocument, Operation, ParameterObject, Schema } from '../../platform/calls/contract.ts'

/** Returns the tag that groups an operation. Each operation in the contract has exactly one tag. */
export function getTag({ declaration }: Operation): string {
  return declaration.tags?.[0] ?? ''
}

/**
 * Returns an OpenAPI document that validates the requests of one tag. The document contains the tag's operations with
 * their parameters, JSON bodies, and referenced schemas. Path parameters are left out, because they are IDs, and an
 * impossible ID must result in `not_found`, not in `validation_failed`.
 */
export function buildRequestDocument(contract: Contract, tag: string): object {
  const paths: Record<string, Record<string, object>> = {}
  for (const operation of contract.operations.values()) {
    if (getTag(operation) !== tag) continue
    const methods = paths[operation.path] ?? {}
    paths[operation.path] = methods
    methods[operation.method.toLowerCase()] = toRequestOnly(contract, operation)
    // HEAD accepts the same input as GET.
    if (operation.method === 'GET') methods.head = toRequestOnly(contract, operation)
  }
  const { openapi, info } = contract.document
  const { title, version } = info
  return { openapi, info: { title, version }, paths, components: { schemas: collectSchemas(contract.document, paths) } }
}

function toRequestOnly(contract: Contract, operation: Operation): object {
  const { operationId, parameters = [] } = operation.declaration
  return {
    operationId,
    parameters: parameters
      .map((declared) => contract.resolve(declared))
      .filter((parameter) => parameter.in !== 'path')
      .map((parameter) => inlineParameterSchema(contract, parameter)),
    ...(operation.takesBody && {
      requestBody: { required: true, content: { 'application/json': toBodyOnly(operation) } },
    }),
    responses: {},
  }
}

function toBodyOnly({ declaration }: Operation): object {
  return { schema: declaration.requestBody?.content['application/json']?.schema ?? {} }
}

/**
 * Replaces the reference in a parameter's schema with the schema itself, because the library ignores keywords next to
 * a reference, such as `default`. Allows reserved characters without percent-encoding, such as the colons of a
 * timestamp, because they are unambiguous.
 */
function inlineParameterSchema(contract: Contract, { schema, ...parameter }: ParameterObject): object {
  const { $ref: _, ...beside } = schema
  const written = { ...contract.resolve<Schema>(schema), ...beside }
  return { ...parameter, schema: written, ...(parameter.in === 'query' && { allowReserved: true }) }
}

/** Returns the schemas to which a value refers, directly or through other schemas. */
function collectSchemas({ components }: ContractDocument, value: unknown): Record<string, unknown> {
  const found: Record<string, unknown> = {}
  const visit = (inner: unknown): void => {
    if (typeof inner !== 'object' || inner === null) return
    for (const member of Object.values(inner)) visit(member)
    if (!('$ref' in inner) || typeof inner.$ref !== 'string') return
    const name = inner.$ref.slice(SCHEMAS.length)
    if (!inner.$ref.startsWith(SCHEMAS) || name in found) return
    found[name] = components.schemas?.[name]
    visit(found[name])
  }
  visit(value)
  return found
}
const SCHEMAS = '#/components/schemas/'
