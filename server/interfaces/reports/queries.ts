import { sql } from 'kysely'
import type { ReportMailing, SavedReport, User } from '../../../client/contract.gen.ts'
import type { Tenant } from '../../platform/calls/call.ts'
import type { Db } from '../../platform/database/database.ts'
import { defineResource } from '../../platform/resources/resource.ts'

export const { list, find, lock, insert, update, archive } = defineResource({
  schema: 'SavedReport',
  filters: {
    visibleTo: (userId) => `(t."ownerId" = ${userId} or t."isShared")`,
    reports: (names) => `t."report" = any(${names}::text[])`,
  },
})

/** Returns the number of saved reports that are not deleted. */
export async function countSavedReports({ db, organizationId }: Tenant): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as "count" from "savedReports"
    where "organizationId" = ${organizationId} and "archivedAt" is null`.execute(db)
  return rows[0]?.count ?? 0
}

/** A user who may receive a report. */
export type Recipient = Pick<User, 'id' | 'name' | 'email' | 'status'> & { role: string }

export async function findRecipients({ db, organizationId }: Tenant, userIds: readonly string[]): Promise<Recipient[]> {
  const { rows } = await sql<Recipient>`
    select "id", "name", "email", "status", "role" from "users"
    where "organizationId" = ${organizationId} and "id" = any(${[...userIds]}::text[]) order by "id"`.execute(db)
  return rows
}

export interface DueReport {
  organizationId: string
  id: string
}

/**
 * Returns the saved reports whose weekly email is due, most overdue first. Leaves out organizations that are on hold.
 */
export async function findDueReports(
  db: Db,
  { now, held, max }: { now: Date; held: ReadonlySet<string>; max: number },
): Promise<DueReport[]> {
  const { rows } = await sql<DueReport>`
    select "organizationId", "id" from "savedReports"
    where "nextMailingAt" <= ${now.toISOString()} and "archivedAt" is null
      and "organizationId" <> all(${[...held]}::text[])
    order by "nextMailingAt", "id" limit ${max}`.execute(db)
  return rows
}

/**
 * Stores the result of the weekly email and the time of the next one. Does not record these changes as changes by a
 * user.
 */
export async function storeMailing(
  { db, organizationId }: Tenant,
  { id, version }: Pick<SavedReport, 'id' | 'version'>,
  { nextMailingAt, lastMailing }: { nextMailingAt: string; lastMailing: ReportMailing },
): Promise<void> {
  await sql`
    update "savedReports" set "nextMailingAt" = ${nextMailingAt}, "lastMailing" = ${JSON.stringify(lastMailing)}::jsonb,
      "version" = "version" + 1, "updatedAt" = ${lastMailing.at}
    where "organizationId" = ${organizationId} and "id" = ${id} and "version" = ${version}`.execute(db)
}
