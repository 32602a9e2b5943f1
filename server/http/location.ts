import type { Contract, Operation, OperationId, ResponseObject } from './contract.ts'

/**
 * Where a resource can be read after an operation has created it: at the GET below the operation's path, or else at the
 * one that answers with the same schema. If an operation's results cannot be read one by one it is not in here, and its
 * handler has to say where they are.
 */
export function locations(contract: Contract): ReadonlyMap<OperationId, (id: string) => string> {
  const operations = [...contract.operations.values()]
  const items = operations.filter(({ method, path }) => method === 'GET' && /^[^{]*\/\{\w+\}$/.test(path))
  const found = new Map<OperationId, (id: string) => string>()
  for (const operation of operations) {
    const created = successOf(contract, operation, '201')
    if (created?.headers?.Location === undefined) continue
    const schema = schemaOf(created)
    const item =
      items.find(({ path }) => collectionOf(path) === operation.path) ??
      items.find((one) => schema !== undefined && schemaOf(successOf(contract, one, '200')) === schema)
    if (item === undefined) continue
    const collection = collectionOf(item.path)
    found.set(operation.id, (id) => `${collection}/${id}`)
  }
  return found
}

function collectionOf(itemPath: string): string {
  return itemPath.slice(0, itemPath.lastIndexOf('/'))
}

function successOf(contract: Contract, { declaration }: Operation, status: string): ResponseObject | undefined {
  const declared = declaration.responses[status]
  return declared === undefined ? undefined : contract.resolve<ResponseObject>(declared)
}

function schemaOf(response: ResponseObject | undefined): unknown {
  return response?.content?.['application/json']?.schema.$ref
}
