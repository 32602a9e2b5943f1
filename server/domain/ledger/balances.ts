import { sql } from 'kysely'
import type { LedgerAmounts, LedgerBalances, LedgerGroup } from '../../../client/contract.gen.ts'
import type { Call, Tenant } from '../../platform/calls/call.ts'
import type { Input } from '../../platform/calls/operation.ts'
import { toLocalDate } from '../../platform/values/calendar.ts'
import { findStartDate } from './period.ts'
import { type PostingQuery, toPostingConditions } from './posting-queries.ts'

/** The column by which each group is formed; null for the total. */
const COLUMNS: Readonly<Record<LedgerGroup, string | null>> = {
  total: null,
  home: 'homeId',
  vendor: 'vendorId',
  costCode: 'costCodeId',
  scope: 'scope',
  po: 'poId',
}

const MEASURES = [
  ...([
    'commitment',
    'cost',
    'unbilled',
    'payable',
    'retainage',
    'paid',
    'discount',
    'withheldTax',
    'payroll',
  ] as const),
  ...([
    'other',
    'budget',
    'contract',
    'ownerBilled',
    'ownerRetainage',
    'ownerReceived',
    'ownerDeposit',
    'loan',
    'stored',
  ] as const),
] as const satisfies readonly (keyof LedgerAmounts)[]

const SUMS = sql.raw(
  MEASURES.map(
    (measure) => `coalesce(sum(p."amount") filter (where p."measure" = '${measure}'), 0) as "${measure}"`,
  ).join(', '),
)

type Row = LedgerAmounts & { id: string | null }

/** Returns the balance of each measure, summed over the postings that match a query. */
export async function findTotalBalances(tenant: Tenant, query: PostingQuery): Promise<LedgerAmounts> {
  const conditions = sql.join(toPostingConditions(tenant, query), sql` and `)
  const { rows } = await sql<LedgerAmounts>`select ${SUMS} from "postings" as p where ${conditions}`.execute(tenant.db)
  const [total] = rows
  if (total === undefined) throw new Error('Expected a sum over postings to have one row.')
  return total
}

export async function findLedgerBalances(
  call: Call,
  { limit, afterId, groupBy, asOf, ...filters }: Input<'getLedgerBalances'>['query'],
): Promise<LedgerBalances> {
  const day = asOf ?? toLocalDate(call.timeZone, call.now)
  const query = { ...filters, to: day }
  const column = COLUMNS[groupBy]
  const rows =
    column === null
      ? [{ id: null, ...(await findTotalBalances(call, query)) }]
      : await listGroupedBalances(call, query, column, { limit, afterId })
  const shown = rows.slice(0, limit)
  const ledgerStartDate = await findStartDate(call)
  return {
    ...{ asOf: day, knownAt: filters.knownAt ?? call.now.toISOString(), groupBy, currency: call.currency },
    ...{ ledgerStartDate, isApproximate: hasApproximateFigures(day, ledgerStartDate) },
    balances: shown.map(({ id, ...amounts }) => ({ id, amounts })),
    lastId: rows.length > limit ? (shown.at(-1)?.id ?? null) : null,
  }
}

async function listGroupedBalances(
  call: Call,
  query: PostingQuery,
  column: string,
  { limit, afterId }: { limit: number; afterId: string | undefined },
): Promise<Row[]> {
  const key = sql`p.${sql.ref(column)} collate "C"`
  const conditions = toPostingConditions(call, query)
  // The group of postings without a key is last.
  if (afterId !== undefined) conditions.push(sql`(${key} > ${afterId} or p.${sql.ref(column)} is null)`)
  const { rows } = await sql<Row>`
    select ${key} as "id", ${SUMS} from "postings" as p where ${sql.join(conditions, sql` and `)}
    group by 1 order by 1 nulls last limit ${limit + 1}`.execute(call.db)
  return rows
}

/** Returns whether the figures of a day depend on dates that the migration derived from older records. */
export function hasApproximateFigures(day: string, ledgerStartDate: string | null): boolean {
  return ledgerStartDate !== null && day < ledgerStartDate
}
