import { sql } from 'kysely'
import { typeid } from 'typeid-js'
import type { Home } from '../../../../client/contract.gen.ts'
import { recordChange, type WriteCall } from '../../../platform/calls/call.ts'
import { recordStatusChange } from '../../../platform/events/status-history.ts'

/**
 * The months after the closing until the builder walks through the home again, which is before the first year of the
 * warranty ends.
 */
const MONTHS_TO_WALKTHROUGH = 11

/**
 * When a home closes, copies the builder's warranty terms to the home and plans its eleven-month walkthrough. Later
 * changes of the terms do not affect the home.
 */
export async function beginWarranty(call: WriteCall, { id: homeId, communityId, closingDate }: Home): Promise<void> {
  const { db, organizationId, now, actor } = call
  const { rows: terms } = await sql<{ id: string }>`
    select "id" from "warrantyTerms" where "organizationId" = ${organizationId} and "archivedAt" is null
    order by "id"`.execute(db)
  for (const { id: termId } of terms) {
    const id = typeid('wcv').toString()
    await sql`
      insert into "warrantyCoverages" ("organizationId", "id", "homeId", "warrantyTermId", "name", "scopes", "partIds",
        "startDate", "endDate", "version", "createdBy", "createdAt", "updatedAt")
      select "organizationId", ${id}, ${homeId}, "id", "name", "scopes", "partIds", ${closingDate}::date,
        (${closingDate}::date + make_interval(months => "months"))::date - 1, 1, ${JSON.stringify(actor)}::jsonb,
        ${now}::timestamptz, ${now}::timestamptz
      from "warrantyTerms" where "organizationId" = ${organizationId} and "id" = ${termId}`.execute(db)
    recordChange(call, id, 'created')
  }
  const walkthroughId = typeid('wlk').toString()
  await sql`
    insert into "walkthroughs" ("organizationId", "id", "homeId", "communityId", "kind", "status", "date", "version",
      "createdBy", "createdAt", "updatedAt")
    values (${organizationId}, ${walkthroughId}, ${homeId}, ${communityId}, 'eleven_month', 'open',
      (${closingDate}::date + make_interval(months => ${MONTHS_TO_WALKTHROUGH}::int))::date, 1, ${JSON.stringify(actor)}::jsonb,
      ${now}::timestamptz, ${now}::timestamptz)`.execute(db)
  recordChange(call, walkthroughId, 'created')
  await recordStatusChange(call, { id: walkthroughId, from: null, to: 'open' })
}
