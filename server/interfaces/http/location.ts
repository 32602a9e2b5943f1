import type { Contract, Operation, OperationId, ResponseObject } from '../../platform/calls/contract.ts'

/**
 * Where a resource can be read after an operation has created it: at the GET below the operation's path, or else at the
 * one that answers with the same schema, or else below the path without what the resource is created for. If an
 * operation's results cannot be read one by one it is not in here, and its handler has to say where they are.
 */
export function locations(contract: Contract): ReadonlyMap<OperationId, (id: string) => string> {
  const operations = [...contract.operations.values()]
  const items = itemsOf(contract)
  const found = new Map<OperationId, (id: string) => string>()
  for (const operation of operations) {
    const created = successOf(contract, operation, '201')
    if (created?.headers?.Location === undefined) continue
    const schema = schemaOf(created)
    const item =
      items.find(({ path }) => collectionOf(path) === operation.path) ??
      items.find((one) => schema !== undefined && schemaOf(successOf(contract, one, '200')) === schema) ??
      items.find(({ path }) => collectionOf(path) === withoutOwner(operation.path))
    if (item === undefined) continue
    const collection = collectionOf(item.path)
    found.set(operation.id, (id) => `${collection}/${id}`)
  }
  return found
}

/** What reads a record: an operation, and the name of its one parameter, which is the record's id. */
export interface Reader {
  id: OperationId
  parameter: string
}

/** For each operation that answers one record, whether created or changed, what reads that record from then on. */
export function readers(contract: Contract): ReadonlyMap<OperationId, Reader> {
  const readerOf = new Map<unknown, Reader>()
  for (const item of itemsOf(contract)) {
    const schema = schemaOf(successOf(contract, item, '200'))
    const parameter = /\{(\w+)\}$/.exec(item.path)?.[1]
    if (schema !== undefined && parameter !== undefined) readerOf.set(schema, { id: item.id, parameter })
  }
  const found = new Map<OperationId, Reader>()
  for (const operation of contract.operations.values()) {
    if (operation.method !== 'POST') continue
    const [reader] = successesOf(contract, operation).flatMap((answer) => readerOf.get(schemaOf(answer)) ?? [])
    if (reader !== undefined) found.set(operation.id, reader)
  }
  return found
}

function itemsOf(contract: Contract): Operation[] {
  return [...contract.operations.values()].filter(
    ({ method, path }) => method === 'GET' && /^[^{]*\/\{\w+\}$/.test(path),
  )
}

function successesOf(contract: Contract, { declaration }: Operation): ResponseObject[] {
  return Object.entries(declaration.responses).flatMap(([status, declared]) =>
    status.startsWith('2') ? [contract.resolve<ResponseObject>(declared)] : [],
  )
}

function collectionOf(itemPath: string): string {
  return itemPath.slice(0, itemPath.lastIndexOf('/'))
}

/** `/api/ext/payments/{paymentId}/lien-waivers` makes what is read in `/api/ext/lien-waivers`. */
function withoutOwner(path: string): string {
  return path.replace(/\/[^/]+\/\{\w+\}(?=\/[^/]+$)/, '')
}

function successOf(contract: Contract, { declaration }: Operation, status: string): ResponseObject | undefined {
  const declared = declaration.responses[status]
  return declared === undefined ? undefined : contract.resolve<ResponseObject>(declared)
}

function schemaOf(response: ResponseObject | undefined): unknown {
  return response?.content?.['application/json']?.schema.$ref
}
