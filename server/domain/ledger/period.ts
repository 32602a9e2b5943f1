import { sql } from 'kysely'
import type { Tenant, WriteCall } from '../../platform/calls/call.ts'
import { conflict, type Problem } from '../../platform/problems/problem.ts'
import { addDays, dateIn } from '../../platform/values/calendar.ts'
import { formatDate } from '../../platform/values/format.ts'

/** The last day of the closed periods; null if none is closed. */
export async function closedThrough({ db, organizationId }: Tenant): Promise<string | null> {
  const { rows } = await sql<{ closedThrough: string | null }>`
    select "closedThrough" from "ledgers" where "organizationId" = ${organizationId}`.execute(db)
  return rows[0]?.closedThrough ?? null
}

/**
 * The last day of the closed periods, which nobody changes until the transaction ends. Other transactions can read it
 * and hold the same lock.
 */
export async function holdClosedThrough(call: WriteCall): Promise<string | null> {
  const { db, organizationId } = call
  const { rows } = await sql<{ closedThrough: string | null }>`
    select "closedThrough" from "ledgers" where "organizationId" = ${organizationId} for share`.execute(db)
  if (rows[0] !== undefined) return rows[0].closedThrough
  await createLedger(call)
  return holdClosedThrough(call)
}

/** The last day of the closed periods, for a change of it: nothing is posted until the transaction ends. */
export async function lockClosedThrough(call: WriteCall): Promise<string | null> {
  await createLedger(call)
  const { rows } = await sql<{ closedThrough: string | null }>`
    select "closedThrough" from "ledgers" where "organizationId" = ${call.organizationId} for update`.execute(call.db)
  return rows[0]?.closedThrough ?? null
}

export async function setClosedThrough({ db, organizationId }: WriteCall, date: string | null): Promise<void> {
  await sql`update "ledgers" set "closedThrough" = ${date} where "organizationId" = ${organizationId}`.execute(db)
}

/** The date from which postings are recorded when they happen; null without a ledger. */
export async function findStartDate({ db, organizationId }: Tenant): Promise<string | null> {
  const { rows } = await sql<{ startDate: string | null }>`
    select "startDate" from "ledgers" where "organizationId" = ${organizationId}`.execute(db)
  return rows[0]?.startDate ?? null
}

/** The ledger of an organization begins with its first entry. */
export async function createLedger(call: WriteCall): Promise<void> {
  await sql`
    insert into "ledgers" ("organizationId", "startDate")
    values (${call.organizationId}, ${dateIn(call.timeZone, call.now)}) on conflict do nothing`.execute(call.db)
}

/** The date under which a document of this date is posted: its own, or the first open day if that is closed. */
export async function toPostingDate(call: WriteCall, documentDate: string): Promise<string> {
  return computeFirstOpenDay(documentDate, await holdClosedThrough(call))
}

/** The date, or the first day after the closed periods if it is in one of them. */
export function computeFirstOpenDay(date: string, closed: string | null): string {
  return closed !== null && date <= closed ? addDays(closed, 1) : date
}

/** Refuses dates in a closed period. */
export async function assertPeriodOpen(call: WriteCall, dates: readonly string[]): Promise<void> {
  const closed = await holdClosedThrough(call)
  const date = closed === null ? undefined : dates.find((date) => date <= closed)
  if (closed !== null && date !== undefined) throw periodClosedProblem(date, closed)
}

function periodClosedProblem(date: string, closed: string): Problem {
  const earliestDate = addDays(closed, 1)
  return conflict(
    'period_closed',
    `Cannot post to ${formatDate(date)}: the period through ${formatDate(closed)} is closed. Use ${formatDate(earliestDate)} or a later date.`,
    { earliestDate },
  )
}
