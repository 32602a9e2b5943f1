import type { Contract, Operation, OperationId, ResponseObject } from './contract.ts'

/**
 * Where what an operation creates is read from then on: at the GET below its own path, or else at the one that answers
 * the same schema. An operation whose creations cannot be read one by one is not in here, and its handler has to say
 * where they are found.
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
