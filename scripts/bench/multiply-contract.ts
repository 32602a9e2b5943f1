import type { ContractDocument } from '../../server/platform/calls/contract.ts'

const METHODS = ['get', 'put', 'post', 'patch', 'delete'] as const

/** Returns a contract that also contains `copies` copies of each operation, with other paths and names. */
export function multiplyContract(document: ContractDocument, copies: number): ContractDocument {
  const paths = { ...document.paths }
  for (let copy = 2; copy <= copies; copy++) {
    for (const [path, item] of Object.entries(document.paths)) {
      const renamed = { ...item }
      for (const method of METHODS) {
        const operation = item[method]
        if (operation !== undefined)
          renamed[method] = { ...operation, operationId: `${operation.operationId}Copy${copy}` }
      }
      paths[path.replace(/^(\/api\/\w+)\//, `$1/copy-${copy}-`)] = renamed
    }
  }
  return { ...document, paths }
}

/** Wraps an object with an entry for each operation, so that the copies of an operation have the same entry. */
export function shareEntriesWithCopies<Kept extends object>(byOperation: Kept): Kept {
  return new Proxy(byOperation, { get: (stored, id) => stored[String(id).replace(/Copy\d+$/, '') as keyof Kept] })
}
