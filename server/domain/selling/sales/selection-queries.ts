import { sql } from 'kysely'
import { recordChange, type Tenant, type WriteCall } from '../../../platform/calls/call.ts'
import { recordStatusChanges } from '../../../platform/events/status-history.ts'

/** Returns the number of the home's pending selections. */
export async function countPendingSelections({ db, organizationId }: Tenant, homeId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as "count" from "selections"
    where "organizationId" = ${organizationId} and "homeId" = ${homeId} and "status" = 'pending'`.execute(db)
  return rows[0]?.count ?? 0
}

/**
 * Declines the pending selections of a buyer whose sale is canceled. The home must be locked. The budget does not
 * change, because it does not include pending selections.
 */
export async function declinePendingSelections(call: WriteCall, homeId: string, reason: string): Promise<void> {
  const { rows } = await sql<{ id: string }>`
    update "selections" set "status" = 'declined', "version" = "version" + 1, "updatedAt" = ${call.now.toISOString()}
    where "organizationId" = ${call.organizationId} and "homeId" = ${homeId} and "status" = 'pending'
    returning "id"`.execute(call.db)
  if (rows.length === 0) return
  await recordStatusChanges(
    call,
    rows.map(({ id }) => ({ id, from: 'pending', to: 'declined', reason })),
  )
  for (const { id } of rows) recordChange(call, id, 'updated', ['status'])
}

/**
 * Returns the codes of those options that are not selected for the home. Returns at most 20 codes, which are enough for
 * a message.
 */
export async function listUnselectedOptionCodes(
  { db, organizationId }: Tenant,
  homeId: string,
  optionIds: readonly string[],
): Promise<string[]> {
  const { rows } = await sql<{ code: string }>`
    select o."code" from "options" as o
    where o."organizationId" = ${organizationId} and o."id" = any(${[...optionIds]}::text[]) and not exists (
      select from "selections" as s
      where s."organizationId" = o."organizationId" and s."homeId" = ${homeId} and s."optionId" = o."id"
        and s."status" not in ('declined', 'cancelled'))
    order by o."code" limit 20`.execute(db)
  return rows.map(({ code }) => code)
}

export interface SelectedLine {
  selectionId: string
  optionId: string | null
  description: string
  amount: number
}

/** Returns the approved selections of the home, with the amounts that they add to its price. */
export async function listApprovedSelections({ db, organizationId }: Tenant, homeId: string): Promise<SelectedLine[]> {
  const { rows } = await sql<SelectedLine>`
    select s."id" as "selectionId", s."optionId", coalesce(o."name", s."customDescription", '') as "description",
      s."difference" as "amount"
    from "selections" as s
    left join "options" as o on o."organizationId" = s."organizationId" and o."id" = s."optionId"
    where s."organizationId" = ${organizationId} and s."homeId" = ${homeId}
      and s."status" in ('approved', 'ordered', 'installed') and s."difference" is not null
    order by s."id" limit 500`.execute(db)
  return rows
}
