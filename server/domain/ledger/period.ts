import { sql } from 'kysely'
import type { Tenant, WriteCall } from '../../platform/calls/call.ts'
import { conflict, type Problem } from '../../platform/problems/problem.ts'
import { addDays, toLocalDate } from '../../platform/values/calendar.ts'
import { formatDate } from '../../platform/values/format.ts'

/** Returns the last day of the closed periods; null if no period is closed. */
export async function findClosedThroughDate({ db, organizationId }: Tenant): Promise<string | null> {
  const { rows } = await sql<{ closedThrough: string | null }>`
    select "closedThrough" from "ledgers" where "organizationId" = ${organizationId}`.execute(db)
  return rows[0]?.closedThrough ?? null
}

/**
 * Returns the last day of the closed periods, and locks it against changes until the transaction ends. Other
 * transactions can hold the same lock concurrently.
 */
export async function shareLockClosedThroughDate(call: WriteCall): Promise<string | null> {
  const { db, organizationId } = call
  const { rows } = await sql<{ closedThrough: string | null }>`
    select "closedThrough" from "ledgers" where "organizationId" = ${organizationId} for share`.execute(db)
  if (rows[0] !== undefined) return rows[0].closedThrough
  await createLedger(call)
  return shareLockClosedThroughDate(call)
}

/**
 * Returns the last day of the closed periods, and locks it for a change. Other transactions cannot record postings
 * until this transaction ends.
 */
export async function lockClosedThroughDate(call: WriteCall): Promise<string | null> {
  await createLedger(call)
  const { rows } = await sql<{ closedThrough: string | null }>`
    select "closedThrough" from "ledgers" where "organizationId" = ${call.organizationId} for update`.execute(call.db)
  return rows[0]?.closedThrough ?? null
}

export async function setClosedThroughDate({ db, organizationId }: WriteCall, date: string | null): Promise<void> {
  await sql`update "ledgers" set "closedThrough" = ${date} where "organizationId" = ${organizationId}`.execute(db)
}

/** Returns the first date on which postings were recorded when they happened; null if there is no ledger. */
export async function findStartDate({ db, organizationId }: Tenant): Promise<string | null> {
  const { rows } = await sql<{ startDate: string | null }>`
    select "startDate" from "ledgers" where "organizationId" = ${organizationId}`.execute(db)
  return rows[0]?.startDate ?? null
}

/** Creates the ledger of the organization if it does not exist. A ledger is created with its first entry. */
export async function createLedger(call: WriteCall): Promise<void> {
  await sql`
    insert into "ledgers" ("organizationId", "startDate")
    values (${call.organizationId}, ${toLocalDate(call.timeZone, call.now)}) on conflict do nothing`.execute(call.db)
}

/**
 * Returns the posting date of a document. The posting date is the date of the document or, if its period is closed, the
 * first open day.
 */
export async function toPostingDate(call: WriteCall, documentDate: string): Promise<string> {
  return computeFirstOpenDay(documentDate, await shareLockClosedThroughDate(call))
}

/** Returns the date or, if it is in a closed period, the first day after the closed periods. */
export function computeFirstOpenDay(date: string, closed: string | null): string {
  return closed !== null && date <= closed ? addDays(closed, 1) : date
}

/** Throws `period_closed` if a date is in a closed period. */
export async function assertPeriodOpen(call: WriteCall, dates: readonly string[]): Promise<void> {
  const closed = await shareLockClosedThroughDate(call)
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
