import { sql } from 'kysely'
import type { Tenant, WriteCall } from '../../platform/calls/call.ts'
import type { Basis } from './basis.ts'

/** Stores the basis of a proposal, which contains versions, numbers, and dates but no text written by a user. */
export async function storeProposalBasis(call: WriteCall, id: string, basis: Basis): Promise<void> {
  await sql`
    update "proposals" set "basis" = ${JSON.stringify(basis)}::json
    where "organizationId" = ${call.organizationId} and "id" = ${id}`.execute(call.db)
}

/** Returns the basis; null for proposals that were created before bases were stored. */
export async function findProposalBasis({ db, organizationId }: Tenant, id: string): Promise<Basis | null> {
  const { rows } = await sql<{ basis: Basis | null }>`
    select "basis" from "proposals" where "organizationId" = ${organizationId} and "id" = ${id}`.execute(db)
  return rows[0]?.basis ?? null
}

export interface ReportedChange {
  resourceId: string
  type: string
  field: string
  before: unknown
  after: unknown
}

/**
 * Returns the fields of these records that have changed since the proposal, with their original and current values.
 * Reads the changes from the records' events.
 */
export async function findChangesSince(
  { db, organizationId }: Tenant,
  resourceIds: readonly string[],
  since: string,
): Promise<ReportedChange[]> {
  const { rows } = await sql<ReportedChange>`
    with told as (
      select e."resourceId", e."type", e."id", e."payload"::jsonb #> '{data,object}' as "object",
        e."payload"::jsonb #> '{data,previous}' as "previous"
      from "events" as e
      where e."organizationId" = ${organizationId} and e."resourceId" = any(${[...resourceIds]}) and e."sequence" is not null
        and e."occurredAt" > ${since}
      order by e."id" limit ${MAX_EVENTS}
    ), fields as (
      select t."resourceId", t."type", t."id", f."key" as "field", f."value" as "before", t."object" -> f."key" as "after"
      from told as t cross join lateral jsonb_each(
        case when jsonb_typeof(t."previous") = 'object' then t."previous" else '{}'::jsonb end) as f
    )
    select "resourceId", "field", min("type") as "type", (array_agg("before" order by "id"))[1] as "before",
      (array_agg("after" order by "id" desc))[1] as "after"
    from fields group by "resourceId", "field" order by "resourceId", "field"`.execute(db)
  return rows
}

/** The maximum number of events to read. A few records have fewer changes in a week. */
const MAX_EVENTS = 500
