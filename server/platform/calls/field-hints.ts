import type { Contract, Operation, OperationId, ResponseObject, Schema } from './contract.ts'

/**
 * If a request contains a field that its operation does not accept, returns the operation of the same resource that
 * accepts it. For example, `status` in updateVendor belongs to changeVendorStatus. If several operations accept the
 * field, returns the one whose path is most similar to the path of the request. For an update, this is an operation
 * that changes a record instead of one that creates a record.
 */
export function findAcceptingOperation(
  contract: Contract,
  requested: Operation,
  field: string,
): OperationId | undefined {
  let best: { id: OperationId; shared: number } | undefined
  for (const operation of findRelatedOperations(contract, requested)) {
    if (!Object.hasOwn(getBodyFields(contract, operation), field)) continue
    const shared = countSharedSegments(requested.path, operation.path)
    if (best === undefined || shared > best.shared) best = { id: operation.id, shared }
  }
  return best?.id
}

/** Returns the fields in the body of an operation with their schemas; empty if there is no body. */
export function getBodyFields(contract: Contract, { declaration }: Operation): Record<string, Schema> {
  const schema = declaration.requestBody?.content['application/json']?.schema
  if (schema === undefined) return {}
  return (contract.resolve<Schema>(schema).properties ?? {}) as Record<string, Schema>
}

/** For each operation, the other operations of its resource. They are cached, because they never change. */
const relatedOperations = new WeakMap<Contract, Map<OperationId, readonly Operation[]>>()

function findRelatedOperations(contract: Contract, requested: Operation): readonly Operation[] {
  const known = relatedOperations.get(contract) ?? new Map<OperationId, readonly Operation[]>()
  relatedOperations.set(contract, known)
  const before = known.get(requested.id)
  if (before !== undefined) return before
  const [collection, answer] = [getCollection(contract, requested.path), responseSchemaOf(contract, requested)]
  const found = [...contract.operations.values()].filter(
    (operation) =>
      operation !== requested &&
      (getCollection(contract, operation.path) === collection ||
        (answer !== undefined && responseSchemaOf(contract, operation) === answer)),
  )
  known.set(requested.id, found)
  return found
}

/** Returns the path without the ID of a record and the action, such as /vendors for /vendors/{vendorId}/status. */
function getCollection(contract: Contract, path: string): string {
  const isRead = contract.document.paths[path]?.get !== undefined
  return isRead && !path.endsWith('}') ? path : path.replace(/\/\{\w+\}(\/[\w-]+)?$/, '')
}

/** Returns the name of the schema of the successful response. */
function responseSchemaOf(contract: Contract, { declaration }: Operation): string | undefined {
  const status = Object.keys(declaration.responses).find((status) => status.startsWith('2')) ?? ''
  const response = declaration.responses[status]
  if (response === undefined) return undefined
  const schema = contract.resolve<ResponseObject>(response).content?.['application/json']?.schema
  return typeof schema?.$ref === 'string' ? schema.$ref : undefined
}

function countSharedSegments(one: string, other: string): number {
  const [left, right] = [one.split('/'), other.split('/')]
  const end = left.findIndex((segment, i) => segment !== right[i])
  return end === -1 ? left.length : end
}
