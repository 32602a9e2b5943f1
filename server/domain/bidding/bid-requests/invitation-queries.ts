import { sql } from 'kysely'
import type { Invitation } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { asObject } from '../../../platform/resources/columns.ts'
import { columnsOf, rowOf } from '../../../platform/resources/declared.ts'
import { resource } from '../../../platform/resources/resource.ts'
import { OPEN_INVITATION } from './bid-request.ts'

export type InvitationRow = Invitation

const invitation = {
  schema: 'Invitation',
  table: 'invitations',
  row: rowOf<InvitationRow>(),
} as const

const { list, find, update, make } = resource(invitation)

export { find, list, update }

/** SQL of all invitations of the bid request `t`, in order of creation. */
export const INVITATIONS_OF_REQUEST = `
  select coalesce(json_agg(${asObject(columnsOf(invitation), 'i')} order by i."id"), '[]')
  from "invitations" as i where i."organizationId" = t."organizationId" and i."bidRequestId" = t."id"`

/** Creates one invitation per vendor, in the order of the vendors, without storing them. */
export function makeAll(
  call: WriteCall,
  bidRequestId: string,
  vendorIds: readonly string[],
  status: 'pending' | 'sent',
): InvitationRow[] {
  const sentAt = status === 'sent' ? call.now.toISOString() : null
  const made = vendorIds.map((vendorId) => make(call, { bidRequestId, vendorId, status, sentAt, remindersSent: 0 }))
  // IDs created within the same millisecond are in random order. Sorting them restores the order of the vendors.
  const ids = made.map(({ id }) => id).sort()
  return made.map((row, i) => ({ ...row, id: ids[i] ?? row.id }))
}

/** Stores new invitations. */
export async function insertAll(call: WriteCall, made: readonly InvitationRow[]): Promise<void> {
  await sql`
    insert into "invitations" ("organizationId", "id", "bidRequestId", "vendorId", "status", "sentAt", "version", "createdBy", "createdAt", "updatedAt")
    select ${call.organizationId}, new.*, ${JSON.stringify(call.actor)}::jsonb, ${call.now}, ${call.now}
    from unnest(${made.map(({ id }) => id)}::text[], ${made.map(({ bidRequestId }) => bidRequestId)}::text[],
      ${made.map(({ vendorId }) => vendorId)}::text[], ${made.map(({ status }) => status)}::text[],
      ${made.map(({ sentAt }) => sentAt)}::timestamptz[], ${made.map(({ version }) => version)}::integer[]) as new`.execute(
    call.db,
  )
}

/** Removes vendors from a draft. They were not notified yet. */
export async function removeAll(call: WriteCall, bidRequestId: string, vendorIds: readonly string[]): Promise<void> {
  await sql`
    delete from "invitations"
    where "organizationId" = ${call.organizationId} and "bidRequestId" = ${bidRequestId} and "vendorId" = any(${[...vendorIds]})`.execute(
    call.db,
  )
}

/** Marks all pending invitations as sent. */
export async function sendPending(call: WriteCall, bidRequestId: string): Promise<void> {
  await sql`
    update "invitations" set "status" = 'sent', "sentAt" = ${call.now}, "version" = "version" + 1, "updatedAt" = ${call.now}
    where "organizationId" = ${call.organizationId} and "bidRequestId" = ${bidRequestId} and "status" = 'pending'`.execute(
    call.db,
  )
}

/** Marks every unanswered invitation as `no_response` when the request closes. */
export async function closeOpen(call: WriteCall, bidRequestId: string): Promise<void> {
  await sql`
    update "invitations" set "status" = 'no_response', "version" = "version" + 1, "updatedAt" = ${call.now}
    where "organizationId" = ${call.organizationId} and "bidRequestId" = ${bidRequestId} and "status" = any(${[...OPEN_INVITATION]})`.execute(
    call.db,
  )
}

/** Returns each invitation to the status it had before the request closed. */
export async function reopenClosed(call: WriteCall, bidRequestId: string): Promise<void> {
  await sql`
    update "invitations" set "version" = "version" + 1, "updatedAt" = ${call.now},
      "status" = case when "respondedAt" is not null then 'will_bid' when "viewedAt" is not null then 'viewed' else 'sent' end
    where "organizationId" = ${call.organizationId} and "bidRequestId" = ${bidRequestId} and "status" = 'no_response'`.execute(
    call.db,
  )
}

/** Increments the version of an invitation whose portal link has changed. */
export async function touch(call: WriteCall, id: string): Promise<void> {
  await sql`
    update "invitations" set "version" = "version" + 1, "updatedAt" = ${call.now}
    where "organizationId" = ${call.organizationId} and "id" = ${id}`.execute(call.db)
}

export async function countReminders(call: WriteCall, ids: readonly string[]): Promise<void> {
  await sql`
    update "invitations" set "remindersSent" = "remindersSent" + 1, "version" = "version" + 1, "updatedAt" = ${call.now}
    where "organizationId" = ${call.organizationId} and "id" = any(${[...ids]})`.execute(call.db)
}
