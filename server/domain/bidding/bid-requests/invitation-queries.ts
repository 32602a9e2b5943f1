import { sql } from 'kysely'
import type { Invitation } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { toJsonObjectSql } from '../../../platform/resources/columns.ts'
import { declareRowType, resolveColumns } from '../../../platform/resources/declaration.ts'
import { defineResource } from '../../../platform/resources/resource.ts'
import { OPEN_INVITATION_STATUSES } from './bid-request.ts'

export type InvitationRow = Invitation

const invitation = {
  schema: 'Invitation',
  table: 'invitations',
  row: declareRowType<InvitationRow>(),
} as const

const { list, find, findAll, update, make } = defineResource(invitation)

export { find, findAll, list, update }

/** SQL query for all invitations of bid request `t`, in order of creation. */
export const INVITATIONS_OF_REQUEST = `
  select coalesce(json_agg(${toJsonObjectSql(resolveColumns(invitation), 'i')} order by i."id"), '[]')
  from "invitations" as i where i."organizationId" = t."organizationId" and i."bidRequestId" = t."id"`

/** Creates one invitation for each vendor, in the order of the vendors. Does not store the invitations. */
export function buildInvitations(
  call: WriteCall,
  bidRequestId: string,
  vendorIds: readonly string[],
  status: 'pending' | 'sent',
): InvitationRow[] {
  const sentAt = status === 'sent' ? call.now.toISOString() : null
  const created = vendorIds.map((vendorId) => make(call, { bidRequestId, vendorId, status, sentAt, remindersSent: 0 }))
  // IDs that are created within the same millisecond are in random order. Sorted IDs follow the order of the vendors.
  const ids = created.map(({ id }) => id).sort()
  return created.map((row, i) => ({ ...row, id: ids[i] ?? row.id }))
}

/** Stores new invitations. */
export async function insertInvitations(call: WriteCall, created: readonly InvitationRow[]): Promise<void> {
  await sql`
    insert into "invitations" ("organizationId", "id", "bidRequestId", "vendorId", "status", "sentAt", "version", "createdBy", "createdAt", "updatedAt")
    select o."id", new.*, ${JSON.stringify(call.actor)}::jsonb, ${call.now}::timestamptz, ${call.now}::timestamptz
    from "organizations" as o cross join unnest(${created.map(({ id }) => id)}::text[], ${created.map(({ bidRequestId }) => bidRequestId)}::text[],
      ${created.map(({ vendorId }) => vendorId)}::text[], ${created.map(({ status }) => status)}::text[],
      ${created.map(({ sentAt }) => sentAt)}::timestamptz[], ${created.map(({ version }) => version)}::integer[]) as new
    where o."id" = ${call.organizationId}`.execute(call.db)
}

/** Removes vendors from a draft. These vendors have not been notified yet. */
export async function deleteInvitations(
  call: WriteCall,
  bidRequestId: string,
  vendorIds: readonly string[],
): Promise<void> {
  await sql`
    delete from "invitations"
    where "organizationId" = ${call.organizationId} and "bidRequestId" = ${bidRequestId} and "vendorId" = any(${[...vendorIds]})`.execute(
    call.db,
  )
}

/** Sets the status of all pending invitations to `sent`. */
export async function markInvitationsSent(call: WriteCall, bidRequestId: string): Promise<void> {
  await sql`
    update "invitations" set "status" = 'sent', "sentAt" = ${call.now}, "version" = "version" + 1, "updatedAt" = ${call.now}
    where "organizationId" = ${call.organizationId} and "bidRequestId" = ${bidRequestId} and "status" = 'pending'`.execute(
    call.db,
  )
}

/** Sets the status of each unanswered invitation to `no_response` when the request closes. */
export async function closeOpenInvitations(call: WriteCall, bidRequestId: string): Promise<void> {
  await sql`
    update "invitations" set "status" = 'no_response', "version" = "version" + 1, "updatedAt" = ${call.now}
    where "organizationId" = ${call.organizationId} and "bidRequestId" = ${bidRequestId} and "status" = any(${[...OPEN_INVITATION_STATUSES]})`.execute(
    call.db,
  )
}

/** Restores the status that each invitation had before the request closed. */
export async function reopenClosedInvitations(call: WriteCall, bidRequestId: string): Promise<void> {
  await sql`
    update "invitations" set "version" = "version" + 1, "updatedAt" = ${call.now},
      "status" = case when "respondedAt" is not null then 'will_bid' when "viewedAt" is not null then 'viewed' else 'sent' end
    where "organizationId" = ${call.organizationId} and "bidRequestId" = ${bidRequestId} and "status" = 'no_response'`.execute(
    call.db,
  )
}

/** Increments the version of an invitation whose portal link has changed. */
export async function bumpVersion(call: WriteCall, id: string): Promise<void> {
  await sql`
    update "invitations" set "version" = "version" + 1, "updatedAt" = ${call.now}
    where "organizationId" = ${call.organizationId} and "id" = ${id}`.execute(call.db)
}

export async function incrementReminders(call: WriteCall, ids: readonly string[]): Promise<void> {
  await sql`
    update "invitations" set "remindersSent" = "remindersSent" + 1, "version" = "version" + 1, "updatedAt" = ${call.now}
    where "organizationId" = ${call.organizationId} and "id" = any(${[...ids]})`.execute(call.db)
}
