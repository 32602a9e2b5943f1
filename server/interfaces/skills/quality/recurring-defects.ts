import { sql } from 'kysely'
import type { RecurringDefectsResult } from '../../../../client/contract.gen.ts'
import type { Call, Tenant } from '../../../platform/calls/call.ts'
import type { CheckedSkills } from '../../../platform/calls/checked.gen.ts'
import { createReportFooter, selectSentences, toReportPeriod, truncateRows } from '../frame/report.ts'

type Grouping = CheckedSkills['recurringDefects']['groupBy']
type Row = RecurringDefectsResult['rows'][number]

const MAX_ROWS = 200
/** The minimum number of requests in a group. A smaller group is not compared with the mean. */
const MIN_REQUESTS = 3

interface Group {
  key: string | null
  name: string | null
  requests: number
  homes: number
  closedHomes: number | null
  cost: number
}

export async function reportRecurringDefects(
  { from: first, to: last, groupBy }: CheckedSkills['recurringDefects'],
  call: Call,
): Promise<RecurringDefectsResult> {
  const { from, to } = toReportPeriod(call, { from: first, to: last })
  const closedHomes = await countClosedHomes(call, to)
  const groups = await findGroups(call, groupBy, from, to)
  const requests = groups.reduce((sum, group) => sum + group.requests, 0)
  const cost = groups.reduce((sum, group) => sum + group.cost, 0)
  const rates = groups.map((group) => perTen(group.requests, group.closedHomes ?? closedHomes))
  const known = rates.filter((rate, i) => rate !== null && groups[i]?.key !== null).map(Number)
  const mean = known.reduce((sum, rate) => sum + rate, 0) / known.length
  const rows = groups.map((group, i): Row => {
    const { key, requests, homes, cost } = group
    const per10Homes = rates[i] ?? null
    const isComparable = key !== null && requests >= MIN_REQUESTS && per10Homes !== null
    const ratio = isComparable ? round(per10Homes / mean) : null
    const name = nameOf(group)
    return { key, name, requests, homes, closedHomes: group.closedHomes ?? closedHomes, per10Homes, ratio, cost }
  })
  rows.sort((a, b) => (b.ratio ?? -1) - (a.ratio ?? -1) || b.requests - a.requests || a.name.localeCompare(b.name))
  const unrecorded = groups.find(({ key }) => key === null)?.requests ?? 0
  const shown = truncateRows(rows, MAX_ROWS)
  return {
    ...{
      from,
      to,
      rows: shown.rows,
      requests,
      closedHomes,
      per10Homes: perTen(requests, closedHomes),
      cost: round(cost),
    },
    currency: call.currency,
    ...createReportFooter(call, {
      truncated: shown.truncated,
      unknown: selectSentences(
        unrecorded > 0 && `Requests without a ${groupBy === 'scope' ? 'trade' : groupBy}: ${unrecorded}.`,
      ),
    }),
  }
}

function perTen(requests: number, homes: number): number | null {
  return homes === 0 ? null : round((requests * 10) / homes)
}

function round(value: number): number {
  return Math.round(value * 100) / 100
}

function nameOf({ key, name }: Group): string {
  if (key === null) return 'Not recorded'
  return name ?? key
}

async function countClosedHomes({ db, organizationId }: Tenant, to: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as "count" from "homes"
    where "organizationId" = ${organizationId} and "status" in ('closed', 'warranty') and "closingDate" <= ${to}::date`.execute(
    db,
  )
  return rows[0]?.count ?? 0
}

/**
 * The SQL for the key and name of a group and for its number of closed homes. `r` is the request, and `g` is the group.
 */
const GROUPS: Readonly<Record<Grouping, { key: string; name: string; closed: string | null }>> = {
  vendor: {
    key: `coalesce(r."responsibleVendorId", r."vendorId")`,
    name: `(select v."companyName" from "vendors" as v where v."organizationId" = g."organizationId" and v."id" = g."key")`,
    closed: `exists (select from "purchaseOrders" as o where o."organizationId" = h."organizationId" and o."homeId" = h."id"
      and o."vendorId" = g."key" and o."issuedAt" is not null and o."status" <> 'void')`,
  },
  plan: {
    key: `r."planId"`,
    name: `(select p."name" from "plans" as p where p."organizationId" = g."organizationId" and p."id" = g."key")`,
    closed: `h."planId" = g."key"`,
  },
  part: {
    key: `r."partId"`,
    name: `(select p."name" from "parts" as p where p."organizationId" = g."organizationId" and p."id" = g."key")`,
    closed: null,
  },
  scope: { key: `lower(r."scope")`, name: 'null::text', closed: null },
}

async function findGroups(
  { db, organizationId, timeZone }: Call,
  groupBy: Grouping,
  from: string,
  to: string,
): Promise<Group[]> {
  const { key, name, closed } = GROUPS[groupBy]
  const closedHomes =
    closed === null
      ? sql`null::integer`
      : sql`(select count(*)::integer from "homes" as h
          where h."organizationId" = ${organizationId} and h."status" in ('closed', 'warranty')
            and h."closingDate" <= ${to}::date and ${sql.raw(closed)})`
  const { rows } = await sql<Group>`
    select g."key", ${sql.raw(name)} as "name", g."requests", g."homes", g."cost",
      case when g."key" is null then null else ${closedHomes} end as "closedHomes"
    from (
      select r."organizationId", ${sql.raw(key)} as "key", count(*)::integer as "requests",
        count(distinct r."homeId")::integer as "homes",
        sum((select coalesce(sum(o."total"), 0) from "purchaseOrders" as o
          where o."organizationId" = r."organizationId" and o."warrantyRequestId" = r."id"
            and o."status" not in ('void', 'declined')))::float8 as "cost"
      from "warrantyRequests" as r
      where r."organizationId" = ${organizationId} and r."status" <> 'cancelled'
        and r."createdAt" >= "dayStart"(${from}::date, ${timeZone}) and r."createdAt" < "dayStart"(${to}::date + 1, ${timeZone})
      group by r."organizationId", ${sql.raw(key)}
    ) as g`.execute(db)
  return rows
}
