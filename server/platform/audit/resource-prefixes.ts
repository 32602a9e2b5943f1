import type { AuditEntry } from '../../../client/contract.gen.ts'
import { type RecordDeclaration, records } from '../calls/records.gen.ts'

export type ResourceType = AuditEntry['resourceType']

/** The ID prefix of each kind of record. An entry contains only the ID, which shows the kind. */
const PREFIX_BY_TYPE = new Map(
  Object.values<RecordDeclaration>(records).flatMap(({ kind, auditKind = kind, audited = true, prefix }) =>
    audited && auditKind !== undefined ? [[auditKind, prefix]] : [],
  ),
)

const TYPE_BY_PREFIX = new Map([...PREFIX_BY_TYPE].map(([type, prefix]) => [prefix, type as ResourceType]))

export function getResourceType(resourceId: string): ResourceType {
  const type = TYPE_BY_PREFIX.get(resourceId.slice(0, Math.max(resourceId.lastIndexOf('_'), 0)))
  if (type === undefined) throw new Error(`Expected a resource kind for the ID ${resourceId}.`)
  return type
}

/** Returns the first possible ID of this kind, and the first text after all IDs of this kind. */
export function getIdRange(type: ResourceType): { from: string; to: string } {
  const prefix = PREFIX_BY_TYPE.get(type)
  // In byte order, the backtick directly follows the underscore.
  return { from: `${prefix}_`, to: `${prefix}\`` }
}
