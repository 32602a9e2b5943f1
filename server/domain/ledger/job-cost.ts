import { sql } from 'kysely'
import type { JobCostLedger, Posting } from '../../../client/contract.gen.ts'
import type { Call } from '../../platform/calls/call.ts'
import type { Input } from '../../platform/calls/operation.ts'
import { unknownReference } from '../../platform/problems/problem.ts'
import { toLocalDate } from '../../platform/values/calendar.ts'
import { hasApproximateFigures } from './balances.ts'
import { findStartDate } from './period.ts'
import { POSTING, POSTINGS, toPostingConditions } from './posting-queries.ts'

/** Returns the postings of a home's cost, ordered by date. */
export async function findJobCostLedger(
  call: Call,
  homeId: string,
  { limit, afterPostingId, from, to, knownAt, costCodeId, scope }: Input<'getJobCostLedger'>['query'],
): Promise<JobCostLedger> {
  const last = to ?? toLocalDate(call.timeZone, call.now)
  const upTo = toPostingConditions(call, { to: last, knownAt, homeId, costCodeId, scope, measure: 'cost' })
  const where = sql.join(upTo, sql` and `)
  const { rows: sums } = await sql<{ opening: number; closing: number }>`
    select coalesce(sum(p."amount") filter (where p."effectiveDate" < ${from ?? null}::date), 0) as "opening",
      coalesce(sum(p."amount"), 0) as "closing"
    from "postings" as p where ${where}`.execute(call.db)
  const { opening = 0, closing = 0 } = sums[0] ?? {}
  const after = afterPostingId === undefined ? null : await findPlace(call, afterPostingId)
  const { rows } = await sql<Posting & { runningCost: number }>`
    select ${POSTING}, r."runningCost"
    from (
      select p."id", sum(p."amount") over (order by p."effectiveDate", p."sequence") as "runningCost"
      from "postings" as p where ${where}
    ) as r
    join ${POSTINGS} on p."id" = r."id" and p."organizationId" = ${call.organizationId}
    where (${from ?? null}::date is null or p."effectiveDate" >= ${from ?? null}::date)
      and (${after?.date ?? null}::date is null
        or (p."effectiveDate", p."sequence") > (${after?.date ?? null}::date, ${after?.sequence ?? null}::bigint))
    order by p."effectiveDate", p."sequence" limit ${limit + 1}`.execute(call.db)
  const shown = rows.slice(0, limit)
  const ledgerStartDate = await findStartDate(call)
  return {
    ...{ asOf: call.now.toISOString(), homeId, from: from ?? null, to: last },
    ...{ knownAt: knownAt ?? call.now.toISOString(), currency: call.currency, ledgerStartDate },
    isApproximate: hasApproximateFigures(from ?? '0001-01-01', ledgerStartDate),
    ...{ opening, closing },
    rows: shown.map(({ runningCost, ...posting }) => ({ posting, runningCost })),
    lastPostingId: rows.length > limit ? (shown.at(-1)?.id ?? null) : null,
  }
}

/** Returns the position of a posting in the order of the ledger. */
async function findPlace({ db, organizationId }: Call, id: string): Promise<{ date: string; sequence: number }> {
  const { rows } = await sql<{ date: string; sequence: number }>`
    select "effectiveDate" as "date", "sequence" from "postings"
    where "organizationId" = ${organizationId} and "id" = ${id}`.execute(db)
  const [place] = rows
  if (place === undefined) throw unknownReference(['afterPostingId'])
  return place
}
