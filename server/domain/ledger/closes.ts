import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { PeriodClose, PeriodState } from '../../../client/contract.gen.ts'
import type { Call, Tenant, WriteCall } from '../../platform/calls/call.ts'
import { recordEvent } from '../../platform/events/record-event.ts'
import { conflict, validationFailed } from '../../platform/problems/problem.ts'
import { defineResource } from '../../platform/resources/resource.ts'
import { addDays, toLocalDate } from '../../platform/values/calendar.ts'
import { formatDate } from '../../platform/values/format.ts'
import { findTotalBalances } from './balances.ts'
import { findClosedThroughDate, findStartDate, lockClosedThroughDate, setClosedThroughDate } from './period.ts'

export const { list, find, findAll, findAllWith, insert, update } = defineResource({ schema: 'PeriodClose' })

export async function findPeriodState(call: Call): Promise<PeriodState> {
  const closed = await findClosedThroughDate(call)
  return {
    closedThrough: closed,
    earliestDate: closed === null ? null : addDays(closed, 1),
    ledgerStartDate: await findStartDate(call),
  }
}

/**
 * Closes all days through a date. Waits until all concurrent postings are committed. Later postings see the new close.
 */
export async function closePeriod(call: WriteCall, throughDate: string): Promise<PeriodClose> {
  const today = toLocalDate(call.timeZone, call.now)
  if (throughDate >= today)
    throw validationFailed([{ pointer: '/throughDate', code: 'maximum', message: `must be before today (${today})` }])
  const closed = await lockClosedThroughDate(call)
  if (closed !== null && throughDate <= closed)
    throw conflict(
      'already_done',
      `Cannot close the period: the period through ${formatDate(closed)} is already closed.`,
    )
  const fromDate = closed === null ? null : addDays(closed, 1)
  const { digest, count } = await computePostingDigest(call, { fromDate, throughDate })
  const close = await insert(call, {
    ...{ fromDate, throughDate, status: 'closed', digest, postingCount: count },
    balances: await findTotalBalances(call, { to: throughDate }),
    unapprovedTimesheetCount: await countUnapprovedTimesheets(call, throughDate),
  })
  await setClosedThroughDate(call, throughDate)
  await recordEvent(call, 'period.closed', close)
  return close
}

/** Reopens the periods after a date, newest first. */
export async function reopenPeriods(call: WriteCall, throughDate: string | null, reason: string): Promise<void> {
  await lockClosedThroughDate(call)
  const closed = (await findAllWith(call, { status: ['closed'] })).sort((a, b) =>
    a.throughDate < b.throughDate ? 1 : -1,
  )
  if (throughDate !== null && !closed.some((close) => close.throughDate === throughDate))
    throw validationFailed([
      { pointer: '/throughDate', code: 'unknown', message: 'must be the throughDate of a closed period' },
    ])
  const reopened = closed.filter((close) => throughDate === null || close.throughDate > throughDate)
  if (reopened.length === 0)
    throw conflict(
      'already_done',
      throughDate === null
        ? 'Cannot reopen a period: no period is closed.'
        : `Cannot reopen a period: no period after ${formatDate(throughDate)} is closed.`,
    )
  await setClosedThroughDate(call, throughDate)
  for (const before of reopened) {
    const after = await update(call, before, {
      ...{ status: 'reopened', reopenedAt: call.now.toISOString(), reopenedBy: call.actor, reopenReason: reason },
    })
    await recordEvent(call, 'period.reopened', after, before)
  }
}

const ROWS = 5000

/**
 * Returns the SHA-256 digest of a period's postings, ordered by ID. Each posting is a line of JSON without its sequence
 * number, which changes when the data is imported.
 */
export async function computePostingDigest(
  { db, organizationId }: Tenant,
  { fromDate, throughDate }: Pick<PeriodClose, 'fromDate' | 'throughDate'>,
): Promise<{ digest: string; count: number }> {
  const hash = createHash('sha256')
  let count = 0
  for (let last = ''; ; ) {
    const { rows } = await sql<{ id: string; line: string }>`
      select "id", json_build_array("id", "entryId", "measure", "amount", "effectiveDate", "recordedAt", "homeId", "scope",
        "costCodeId", "vendorId", "poId", "poLineId", "billId", "paymentId", "saleId", "reversesEntryId", "basis", "note",
        "actor")::text as "line"
      from "postings"
      where "organizationId" = ${organizationId} and "id" > ${last} and "effectiveDate" <= ${throughDate}
        and (${fromDate}::date is null or "effectiveDate" >= ${fromDate}::date)
      order by "id" limit ${ROWS}`.execute(db)
    for (const { line } of rows) hash.update(`${line}\n`)
    count += rows.length
    last = rows.at(-1)?.id ?? ''
    if (rows.length < ROWS) return { digest: hash.digest('hex'), count }
  }
}

/** Returns the number of unapproved timesheets with time on or before a date. */
async function countUnapprovedTimesheets({ db, organizationId }: Tenant, throughDate: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as "count" from "timesheets" as s
    where s."organizationId" = ${organizationId} and s."status" in ('open', 'submitted', 'rejected') and exists (
      select from "timeEntries" as e where e."organizationId" = s."organizationId" and e."timesheetId" = s."id"
        and e."archivedAt" is null and e."date" <= ${throughDate})`.execute(db)
  return rows[0]?.count ?? 0
}
