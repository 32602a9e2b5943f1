import { sql } from 'kysely'
import { typeid } from 'typeid-js'
import type { AuditActor } from '../../../client/contract.gen.ts'
import type { Call, Change, WriteCall } from '../calls/call.ts'
import type { Db } from '../database/database.ts'
import { getResourceType } from './resource-prefixes.ts'

/**
 * An audit entry for a change without an event. Changes with an event need no entry, because the event contains the
 * request ID and the client address, and is listed as an entry.
 */
export interface NewEntry {
  organizationId: string
  at: Date
  actor: AuditActor
  /** The kind of record and the action, such as `key.revoked`. */
  action: string
  resourceId: string
  changed?: readonly string[]
  refused?: { reason: string; count: number }
  address?: string | null
  requestId?: string | null
}

export async function recordAuditEntries(db: Db, entries: readonly NewEntry[]): Promise<void> {
  for (const [organizationId, own] of Map.groupBy(entries, (entry) => entry.organizationId))
    await insertEntries(db, organizationId, own)
}

async function insertEntries(db: Db, organizationId: string, entries: readonly NewEntry[]): Promise<void> {
  const rows = entries.map(({ actor, changed = [], refused, address = null, requestId = null, ...entry }) => ({
    ...entry,
    id: typeid('aud').toString(),
    actorType: actor.type,
    actorId: actor.id,
    actorGrantId: actor.via?.grantId ?? null,
    actorCopierId: actor.copiedBy?.id ?? null,
    changed: [...changed],
    outcome: refused === undefined ? 'done' : 'refused',
    reason: refused?.reason ?? null,
    count: refused?.count ?? 1,
    address,
    requestId,
  }))
  // Pass the entries as one JSON parameter. A statement can have at most 65,535 parameters, and a transaction can
  // change thousands of records.
  await sql`
    insert into "auditEntries" ("organizationId", ${toColumns()})
    select o."id", ${toColumns('r')} from "organizations" as o
    cross join json_populate_recordset(null::"auditEntries", ${JSON.stringify(rows)}::json) as r
    where o."id" = ${organizationId}`.execute(db)
}

const COLUMNS = [
  ...['id', 'at', 'actorType', 'actorId', 'action', 'resourceId', 'changed', 'outcome', 'reason'],
  ...['count', 'address', 'requestId', 'actorGrantId', 'actorCopierId'],
]

function toColumns(...alias: string[]) {
  return sql.join(COLUMNS.map((column) => sql.id(...alias, column)))
}

/**
 * Records an operator's action on the data of a builder in the transaction of the action. Such actions include access
 * to data that leaves the service, such as an export.
 */
export async function recordOperatorAction(
  db: Db,
  act: { organizationId: string; at: Date; action: string; resourceId: string; changed?: readonly string[] },
): Promise<void> {
  await recordAuditEntries(db, [{ ...act, actor: { type: 'operator', id: null } }])
}

/** Records the changes of a transaction that have no event, with one entry for each record. */
export async function recordUnreportedChanges(call: WriteCall): Promise<void> {
  const reported = new Set(call.events.map(({ resourceId }) => resourceId))
  const untold = new Map<string, Change>()
  for (const change of call.changes) {
    if (reported.has(change.resourceId)) continue
    const before = untold.get(change.resourceId)
    untold.set(change.resourceId, before === undefined ? change : mergeChanges(before, change))
  }
  const { organizationId, address, requestId } = call
  await recordAuditEntries(
    call.db,
    [...untold.values()].map(({ resourceId, what, fields, by, at }) => ({
      ...{ organizationId, at, actor: by, address, requestId, resourceId },
      action: `${getResourceType(resourceId)}.${what}`,
      changed: [...fields],
    })),
  )
}

/** Records that a caller has closed blind bid requests in a transaction that was rolled back. */
export async function recordRolledBackBidOpenings(call: Call, ids: ReadonlySet<string>): Promise<void> {
  const { organizationId, actor, address, requestId, now, services } = call
  const entry = { organizationId, at: now, actor, address, requestId, action: 'bid_request.opening_undone' }
  await recordAuditEntries(
    services.database.statements,
    [...ids].map((resourceId) => ({ ...entry, resourceId })),
  )
}

// Any other change replaces "updated", because it is more specific.
function mergeChanges(before: Change, after: Change): Change {
  const what = before.what === 'updated' ? after.what : before.what
  return { ...before, what, fields: what === 'created' ? [] : [...new Set([...before.fields, ...after.fields])] }
}

/** The time in which repeated views of the portal count as one visit. */
const VISIT_WINDOW_MS = 10 * 60_000

/** Records a view of the vendor portal. Records at most one visit in ten minutes for each portal link and client. */
export async function recordPortalVisit({
  db,
  organizationId,
  principal,
  actor,
  address,
  requestId,
  now,
}: Call): Promise<void> {
  const since = new Date(now.getTime() - VISIT_WINDOW_MS).toISOString()
  const resourceId = principal.subjectId ?? principal.id
  await sql`
    insert into "auditEntries" ("organizationId", "id", "at", "actorType", "actorId", "actorCopierId", "action", "resourceId", "address", "requestId")
    select o."id", ${typeid('aud').toString()}::text, ${now.toISOString()}::timestamptz, ${actor.type}::text, ${actor.id}::text,
      ${actor.copiedBy?.id ?? null}::text, 'portal.visited', ${resourceId}::text, ${address}::text, ${requestId}::text
    from "organizations" as o
    where o."id" = ${organizationId} and not exists (
      select from "auditEntries" where "organizationId" = ${organizationId} and "resourceId" = ${resourceId}
        and "action" = 'portal.visited' and "actorCopierId" is not distinct from ${actor.copiedBy?.id ?? null}::text
        and "address" is not distinct from ${address}::text and "at" > ${since})`.execute(db)
}
