import { sql } from 'kysely'
import type { AttachmentRecordType } from '../../../client/contract.gen.ts'
import type { Call, Tenant } from '../../platform/calls/call.ts'
import { columns } from '../../platform/database/columns.gen.ts'
import { conflict, Problem, unknownReference } from '../../platform/problems/problem.ts'

/** A kind of record that can have files. */
interface RecordKind {
  /** Prefix of its IDs. */
  readonly prefix: string
  readonly table: keyof typeof columns
  /** The entity of its permissions. A user who may read or write the record may read or write its files. */
  readonly entity: string
  /** Whether vendors see its files by default; null if they never do. */
  readonly shared: boolean | null
}

const RECORD_KINDS: Readonly<Record<AttachmentRecordType, RecordKind>> = {
  bid_request: { prefix: 'brq', table: 'bidRequests', entity: 'bids', shared: true },
  invitation: { prefix: 'inv', table: 'invitations', entity: 'bids', shared: true },
  bid: { prefix: 'bid', table: 'bids', entity: 'bids', shared: null },
  compliance_document: { prefix: 'cmp', table: 'complianceDocuments', entity: 'vendors', shared: null },
  purchase_order: { prefix: 'po', table: 'purchaseOrders', entity: 'pos', shared: false },
  task: { prefix: 'tsk', table: 'tasks', entity: 'tasks', shared: null },
  selection: { prefix: 'sel', table: 'selections', entity: 'options', shared: null },
  message: { prefix: 'msg', table: 'messages', entity: 'messages', shared: null },
}

const RECORD_TYPES = Object.keys(RECORD_KINDS) as AttachmentRecordType[]

/** Returns the kind of a record by its ID, or undefined if it cannot have files. */
export function getRecordType(recordId: string): AttachmentRecordType | undefined {
  return RECORD_TYPES.find((type) => recordId.startsWith(`${RECORD_KINDS[type].prefix}_`))
}

/** Returns whether vendors see the files of such a record by default; null if they never do. */
export function isSharedByDefault(type: AttachmentRecordType): boolean | null {
  return RECORD_KINDS[type].shared
}

const SHARED_TYPES = RECORD_TYPES.filter(isSharedByDefault)
  .map((type) => `'${type}'`)
  .join(', ')

/** SQL of whether vendors see an attachment, over its row as `t`. The column contains only values that a user chose. */
export const IS_SHARED_SQL = `coalesce(t."shared", t."recordType" in (${SHARED_TYPES}))`

type Access = 'read' | 'write'

/** Throws `permission_denied` unless the caller may read or write files of such records. */
export function assertCanAccessFiles({ permissions }: Call, type: AttachmentRecordType, access: Access): void {
  const permission = `${RECORD_KINDS[type].entity}:${access}`
  if (permissions.has(permission)) return
  const what = access === 'read' ? 'Reading' : 'Changing'
  throw new Problem('permission_denied', `${what} files of type ${type} requires ${permission}.`, { permission })
}

/** Returns the kinds whose files the caller may read; null if all, so that no filter is needed. */
export function listReadableTypes({ permissions }: Call): AttachmentRecordType[] | null {
  const readable = RECORD_TYPES.filter((type) => permissions.has(`${RECORD_KINDS[type].entity}:read`))
  return readable.length === RECORD_TYPES.length ? null : readable
}

/** Throws unless the record exists and accepts files. */
export async function assertAcceptsFiles(
  { db, organizationId }: Tenant,
  type: AttachmentRecordType,
  recordId: string,
): Promise<void> {
  const { table } = RECORD_KINDS[type]
  const isArchived = 'archivedAt' in columns[table] ? sql`"archivedAt" is not null` : sql`false`
  const { rows } = await sql<{ isArchived: boolean }>`
    select ${isArchived} as "isArchived" from ${sql.table(table)}
    where "organizationId" = ${organizationId} and "id" = ${recordId}`.execute(db)
  const [record] = rows
  if (record === undefined) throw unknownReference(['recordId'])
  if (record.isArchived) throw conflict('archived', 'Cannot add a file: the record is archived.')
}
