import { sql } from 'kysely'
import type { AttachmentRecordType } from '../../../client/contract.gen.ts'
import type { Call, Tenant } from '../../platform/calls/call.ts'
import { columns } from '../../platform/database/columns.gen.ts'
import { conflict, Problem, unknownReference } from '../../platform/problems/problem.ts'

/** A kind of record that can have files. */
interface RecordKind {
  /** The prefix of the record's ID. */
  readonly prefix: string
  readonly table: keyof typeof columns
  /** The entity of the permissions. A user who can read or write the record can read or write its files. */
  readonly entity: string
  /** Whether vendors can see the files by default; null if vendors can never see them. */
  readonly shared: boolean | null
}

const RECORD_KINDS: Readonly<Record<AttachmentRecordType, RecordKind>> = {
  bid_request: { prefix: 'brq', table: 'bidRequests', entity: 'bids', shared: true },
  invitation: { prefix: 'inv', table: 'invitations', entity: 'bids', shared: true },
  bid: { prefix: 'bid', table: 'bids', entity: 'bids', shared: null },
  compliance_document: { prefix: 'cmp', table: 'complianceDocuments', entity: 'vendors', shared: null },
  purchase_order: { prefix: 'po', table: 'purchaseOrders', entity: 'pos', shared: false },
  bill: { prefix: 'bill', table: 'bills', entity: 'bills', shared: null },
  task: { prefix: 'tsk', table: 'tasks', entity: 'tasks', shared: null },
  selection: { prefix: 'sel', table: 'selections', entity: 'options', shared: null },
  punch_item: { prefix: 'pun', table: 'punchItems', entity: 'punch', shared: true },
  walkthrough: { prefix: 'wlk', table: 'walkthroughs', entity: 'punch', shared: null },
  warranty_request: { prefix: 'wrq', table: 'warrantyRequests', entity: 'warranty', shared: true },
  visit: { prefix: 'vis', table: 'visits', entity: 'warranty', shared: true },
  drawing: { prefix: 'dwg', table: 'drawings', entity: 'documents', shared: null },
  message: { prefix: 'msg', table: 'messages', entity: 'messages', shared: null },
  home: { prefix: 'hom', table: 'homes', entity: 'homes', shared: null },
  daily_log: { prefix: 'dlg', table: 'dailyLogs', entity: 'logs', shared: null },
  permit: { prefix: 'prm', table: 'permits', entity: 'inspections', shared: null },
  inspection: { prefix: 'ins', table: 'inspections', entity: 'inspections', shared: null },
  plan: { prefix: 'pln', table: 'plans', entity: 'options', shared: null },
}

const RECORD_TYPES = Object.keys(RECORD_KINDS) as AttachmentRecordType[]

/** Returns the kind of the record with this ID; undefined if the record cannot have files. */
export function getRecordType(recordId: string): AttachmentRecordType | undefined {
  return RECORD_TYPES.find((type) => recordId.startsWith(`${RECORD_KINDS[type].prefix}_`))
}

/** Returns whether vendors can see files of this kind of record by default; null if vendors can never see them. */
export function isSharedByDefault(type: AttachmentRecordType): boolean | null {
  return RECORD_KINDS[type].shared
}

const SHARED_TYPES = RECORD_TYPES.filter(isSharedByDefault)
  .map((type) => `'${type}'`)
  .join(', ')

/**
 * SQL expression for whether vendors can see the attachment in row `t`. The column `shared` contains a value only if a
 * user has chosen it.
 */
export const IS_SHARED_SQL = `coalesce(t."shared", t."recordType" in (${SHARED_TYPES}))`

type Access = 'read' | 'write'

/** Throws `permission_denied` unless the caller may read or write files of this kind of record. */
export function assertCanAccessFiles({ permissions }: Call, type: AttachmentRecordType, access: Access): void {
  const permission = `${RECORD_KINDS[type].entity}:${access}`
  if (permissions.has(permission)) return
  const what = access === 'read' ? 'Reading' : 'Changing'
  throw new Problem('permission_denied', `${what} files of a record of type ${type} requires ${permission}.`, {
    permission,
  })
}

/** Returns the kinds of records whose files the caller may read; null for all kinds. */
export function listReadableRecordTypes({ permissions }: Call): AttachmentRecordType[] | null {
  const readable = RECORD_TYPES.filter((type) => permissions.has(`${RECORD_KINDS[type].entity}:read`))
  return readable.length === RECORD_TYPES.length ? null : readable
}

/**
 * Returns the ID of the record's home; null if the record has no home. Throws unless the record exists and accepts
 * files.
 */
export async function assertRecordAcceptsFiles(
  { db, organizationId }: Tenant,
  type: AttachmentRecordType,
  recordId: string,
): Promise<string | null> {
  const { table } = RECORD_KINDS[type]
  const homeId = type === 'home' ? sql`"id"` : 'homeId' in columns[table] ? sql`"homeId"` : sql`null`
  const isArchived = 'archivedAt' in columns[table] ? sql`"archivedAt" is not null` : sql`false`
  const { rows } = await sql<{ isArchived: boolean; homeId: string | null }>`
    select ${isArchived} as "isArchived", ${homeId} as "homeId" from ${sql.table(table)}
    where "organizationId" = ${organizationId} and "id" = ${recordId}`.execute(db)
  const [record] = rows
  if (record === undefined) throw unknownReference(['recordId'])
  if (record.isArchived) throw conflict('archived', 'Cannot add a file: the record is archived.')
  return record.homeId
}
