import type { Operation } from '../../server/platform/calls/contract.ts'
import { toOperationKeyPath } from './describe-response-errors.ts'
import { findCreatedPrefix, findIdPrefix, getIdPrefix, TYPE_ID } from './resource-ids.ts'
import { contract, getValueAtPath, listEntriesAtPath } from './walked-contract.ts'

export function findBodySchema(operation: Operation): unknown {
  return getValueAtPath(...toOperationKeyPath(operation), 'requestBody', 'content', 'application/json', 'schema')
}

/** Returns whether an API key may call the operation. All other operations are for the vendor portal. */
export function isOpenToApiKeys({ schemes }: Operation): boolean {
  return schemes.has('apiKey')
}

/** Returns whether the operation is a sync, which updates many records to match another system. */
export function isSync({ id }: Operation): boolean {
  return /^sync[A-Z]/.test(id)
}

/** Returns whether a vendor can create a record of its own with the operation, such as a bill. */
export function isPortalCreation(operation: Operation): boolean {
  return !isOpenToApiKeys(operation) && operation.method === 'POST' && !operation.path.includes('{')
}

/** The operations that notify a vendor about a record, which the vendor's portal then shows. */
export const CONFIRMATION_REQUESTS = [...contract.operations.values()].filter(
  ({ emits }) => emits.includes('vendor.invited') && emits.some((type) => type.startsWith('vendor.notification.')),
)

/** The operations that return a portal link. */
export const LINK_COPIES = [...contract.operations.values()].filter(
  ({ declaration }) => declaration['x-shows-once']?.includes('portalUrl') === true,
)

/** The operations that replace or revoke the portal link of the record in their path. */
export const LINK_REPLACEMENTS: ReadonlySet<Operation> = new Set(
  [...contract.operations.values()].filter(
    ({ id, path, emits }) =>
      LINK_COPIES.some((copying) => path.startsWith(copying.path.slice(0, copying.path.lastIndexOf('/') + 1))) &&
      (emits.includes('vendor.invited') || id.startsWith('revoke')),
  ),
)

/**
 * The operations that issue a resource to a vendor. They are recognized by the status in an example of their response.
 */
export const ISSUING_OPERATIONS = [...contract.operations.values()].filter((operation) => {
  const place = [...toOperationKeyPath(operation), 'responses', '200', 'content', 'application/json', 'examples']
  const [example] = operation.path.endsWith('/status') && isOpenToApiKeys(operation) ? listEntriesAtPath(...place) : []
  return (
    example !== undefined && 'issuedAt' in (example[1].value as object) && 'vendorId' in (example[1].value as object)
  )
})

/** The operations of the portal that return a file of a record that the portal shows. */
export const PORTAL_DOWNLOADS = [...contract.operations.values()].filter(
  (operation) => operation.path.includes('/{attachmentId}/') && !isOpenToApiKeys(operation),
)

export const CREATIONS = [...contract.operations.values()].filter(({ declaration }) => '201' in declaration.responses)

/**
 * Returns the creations that provide the IDs in the URLs and examples of these operations, including the creations on
 * which these creations depend.
 */
export function listCreationsFor(operations: readonly Operation[]): Operation[] {
  const needed = new Set<Operation>()
  const add = (operation: Operation): void => {
    const kinds = listKinds(operation)
    // A list returns the records that are created at its path.
    for (const creation of CREATIONS) {
      const isNeeded = creation.path === operation.path || kinds.has(findCreatedPrefix(creation) ?? '')
      if (!isNeeded || needed.has(creation)) continue
      needed.add(creation)
      add(creation)
    }
  }
  for (const operation of operations) add(operation)
  return CREATIONS.filter((creation) => needed.has(creation))
}

/** Returns the prefixes of the IDs that an operation needs. */
function listKinds(operation: Operation): Set<string> {
  const kinds = new Set<string>()
  for (const declared of operation.declaration.parameters ?? []) {
    const { name, in: where, required } = contract.resolve(declared)
    const prefix = findIdPrefix(name)
    if (required === true && where !== 'header' && prefix !== undefined) kinds.add(prefix)
  }
  const visit = (value: unknown): void => {
    if (typeof value === 'string' && TYPE_ID.test(value)) kinds.add(getIdPrefix(value))
    else if (typeof value === 'object' && value !== null) for (const inner of Object.values(value)) visit(inner)
  }
  for (const [, { value }] of listEntriesAtPath(
    ...toOperationKeyPath(operation),
    'requestBody',
    'content',
    'application/json',
    'examples',
  ))
    visit(value)
  return kinds
}
