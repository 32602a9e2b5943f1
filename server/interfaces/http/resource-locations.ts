import type { Contract, Operation, OperationId, ResponseObject } from '../../platform/calls/contract.ts'

/**
 * Returns, for each operation that creates a resource, a function that returns the path at which the resource can be
 * read. The function uses the path of the first operation that exists in this list: a GET below the operation's path, a
 * GET with the same schema, or a GET below the path without the parent record. If there is none, the handler must set
 * the Location header.
 */
export function buildLocationMap(contract: Contract): ReadonlyMap<OperationId, (id: string) => string> {
  const operations = [...contract.operations.values()]
  const items = listItemOperations(contract)
  const found = new Map<OperationId, (id: string) => string>()
  for (const operation of operations) {
    const created = findSuccessResponse(contract, operation, '201')
    if (created?.headers?.Location === undefined) continue
    const schema = responseSchema(created)
    const item =
      items.find(({ path }) => toCollectionPath(path) === operation.path) ??
      items.find(
        (one) => schema !== undefined && responseSchema(findSuccessResponse(contract, one, '200')) === schema,
      ) ??
      items.find(({ path }) => toCollectionPath(path) === omitOwnerPath(operation.path))
    if (item === undefined) continue
    const collection = toCollectionPath(item.path)
    found.set(operation.id, (id) => `${collection}/${id}`)
  }
  return found
}

/** An operation that reads a record by ID, and the name of its only parameter. */
export interface ReadOperation {
  id: OperationId
  parameter: string
}

/** Returns, for each operation that returns a created or changed record, the operation that reads this record. */
export function buildReaderMap(contract: Contract): ReadonlyMap<OperationId, ReadOperation> {
  const readerOf = new Map<unknown, ReadOperation>()
  for (const item of listItemOperations(contract)) {
    const schema = responseSchema(findSuccessResponse(contract, item, '200'))
    const parameter = /\{(\w+)\}$/.exec(item.path)?.[1]
    if (schema !== undefined && parameter !== undefined) readerOf.set(schema, { id: item.id, parameter })
  }
  const found = new Map<OperationId, ReadOperation>()
  for (const operation of contract.operations.values()) {
    if (operation.method !== 'POST') continue
    const [reader] = listSuccessResponses(contract, operation).flatMap(
      (response) => readerOf.get(responseSchema(response)) ?? [],
    )
    if (reader !== undefined) found.set(operation.id, reader)
  }
  return found
}

function listItemOperations(contract: Contract): Operation[] {
  return [...contract.operations.values()].filter(
    ({ method, path }) => method === 'GET' && /^[^{]*\/\{\w+\}$/.test(path),
  )
}

function listSuccessResponses(contract: Contract, { declaration }: Operation): ResponseObject[] {
  return Object.entries(declaration.responses).flatMap(([status, declared]) =>
    status.startsWith('2') ? [contract.resolve<ResponseObject>(declared)] : [],
  )
}

function toCollectionPath(itemPath: string): string {
  return itemPath.slice(0, itemPath.lastIndexOf('/'))
}

/**
 * Returns a path without the parent record. For example, `/api/ext/payments/{paymentId}/lien-waivers` becomes
 * `/api/ext/lien-waivers`.
 */
function omitOwnerPath(path: string): string {
  return path.replace(/\/[^/]+\/\{\w+\}(?=\/[^/]+$)/, '')
}

function findSuccessResponse(
  contract: Contract,
  { declaration }: Operation,
  status: string,
): ResponseObject | undefined {
  const declared = declaration.responses[status]
  return declared === undefined ? undefined : contract.resolve<ResponseObject>(declared)
}

function responseSchema(response: ResponseObject | undefined): unknown {
  return response?.content?.['application/json']?.schema.$ref
}
