import { type RawBuilder, sql } from 'kysely'
import type { Posting } from '../../../client/contract.gen.ts'
import type { Tenant } from '../../platform/calls/call.ts'
import { createCursorProblem, decodeCursor, encodeCursor, toPage } from '../../platform/calls/page.ts'
import { NO_TRADE } from './no-trade.ts'

/** The filters for the postings to read. */
export interface PostingQuery {
  from?: string | undefined
  to?: string | undefined
  knownAt?: string | undefined
  measure?: string | undefined
  homeId?: string | undefined
  /** The trade, regardless of letter case. */
  scope?: string | undefined
  costCodeId?: string | undefined
  vendorId?: string | undefined
  poId?: string | undefined
  paymentId?: string | undefined
  saleId?: string | undefined
  entryId?: string | undefined
  updatedAfter?: string | undefined
  createdAfter?: string | undefined
  ids?: string[] | undefined
}

const EQUAL = ['measure', 'homeId', 'costCodeId', 'vendorId', 'poId', 'paymentId', 'saleId', 'entryId'] as const

/** Returns the SQL conditions for a query of the postings `p`. */
export function toPostingConditions({ organizationId }: Tenant, query: PostingQuery): RawBuilder<unknown>[] {
  const { scope, from, to, knownAt, updatedAfter, createdAfter, ids } = query
  return [
    sql`p."organizationId" = ${organizationId}`,
    ...EQUAL.flatMap((field) => (query[field] === undefined ? [] : [sql`p.${sql.ref(field)} = ${query[field]}`])),
    ...(scope === undefined ? [] : [sql`lower(coalesce(p."scope", ${NO_TRADE}::text)) = lower(${scope})`]),
    ...(from === undefined ? [] : [sql`p."effectiveDate" >= ${from}`]),
    ...(to === undefined ? [] : [sql`p."effectiveDate" <= ${to}`]),
    ...(knownAt === undefined ? [] : [sql`p."recordedAt" <= ${knownAt}`]),
    ...[updatedAfter, createdAfter].flatMap((since) => (since === undefined ? [] : [sql`p."recordedAt" >= ${since}`])),
    ...(ids === undefined ? [] : [sql`p."id" = any(${ids})`]),
  ]
}

/**
 * The fields of a posting. The note comes from the journal, where it can be replaced when the data of a person is
 * erased.
 */
export const POSTING = sql`p."id", p."sequence", p."entryId", p."measure", p."amount", p."effectiveDate", p."recordedAt",
  p."homeId", p."scope", p."costCodeId", p."vendorId", p."poId", p."poLineId", p."billId", p."paymentId", p."saleId",
  p."reversesEntryId", p."basis", coalesce(p."note", j."note") as "note", p."actor"`

/** SQL source of the postings as `p`, each with its journal as `j`. */
export const POSTINGS = sql`"postings" as p
  left join "journals" as j on j."organizationId" = p."organizationId" and j."id" = p."entryId"`

/**
 * The maximum number of postings that a request reads to find matches. The maximum limits the duration of a request in
 * a ledger of any size.
 */
const ROWS_PER_READ = 2000

/**
 * Returns a page of postings in the order in which they were recorded. If there is no suitable index, the page ends
 * after the maximum number of postings is read, and the cursor continues after these postings.
 */
export async function list(
  call: Tenant,
  query: PostingQuery & { limit: number; cursor?: string | undefined; sort: string },
): Promise<{ data: Posting[]; nextCursor: string | null }> {
  const { limit, cursor, sort, measure, scope, from, to, knownAt, updatedAfter, createdAfter, ids, ...records } = query
  const [direction, beyond, last] = sort.startsWith('-') ? [sql`desc`, sql`<`, sql`min`] : [sql`asc`, sql`>`, sql`max`]
  const ordered = toPostingConditions(call, records)
  if (cursor !== undefined) {
    const { value } = decodeCursor(sort, cursor)
    if (!Number.isSafeInteger(value)) throw createCursorProblem()
    ordered.push(sql`p."sequence" ${beyond} ${value}`)
  }
  const filters = toPostingConditions(call, { measure, scope, from, to, knownAt, updatedAfter, createdAfter })
  // The first condition is the organization, which all postings meet. If there is no other condition, every posting
  // that is read matches.
  const max = filters.length === 1 ? limit + 1 : ROWS_PER_READ
  const named = sql`"named" as materialized (
    select * from "postings" where "organizationId" = ${call.organizationId} and "id" = any(${ids ?? []})),`
  const { rows } = await sql<Posting & { read: number; end: number | null }>`
    with ${ids === undefined ? sql`` : named} "stretch" as materialized (
      select * from ${ids === undefined ? sql`"postings"` : sql`"named"`} as p
      where ${sql.join(ordered, sql` and `)} order by p."sequence" ${direction} limit ${max}
    ), "found" as materialized (
      select * from "stretch" as p where ${sql.join(filters, sql` and `)}
      order by p."sequence" ${direction} limit ${limit + 1}
    )
    select s."read", s."end", ${POSTING}
    from (select count(*)::integer as "read", ${last}("sequence") as "end" from "stretch") as s
    left join "found" as p on true
    left join "journals" as j on j."organizationId" = ${call.organizationId} and j."id" = p."entryId"
    order by p."sequence" ${direction}`.execute(call.db)
  const found = rows.filter(({ id }) => id !== null).map(({ read: _read, end: _end, ...posting }) => posting)
  const { read = 0, end = null } = rows[0] ?? {}
  const page = toPage(found, limit, sort, ({ sequence }) => sequence)
  const isSearchedToEnd = end === null || read < max
  return page.nextCursor !== null || isSearchedToEnd
    ? page
    : { ...page, nextCursor: encodeCursor(sort, { value: end, id: '' }) }
}

/** Returns the postings after a sequence number, oldest first. */
export async function listPostingsAfter(
  call: Tenant,
  query: PostingQuery,
  afterSequence: number,
  max: number,
): Promise<Posting[]> {
  const conditions = [...toPostingConditions(call, query), sql`p."sequence" > ${afterSequence}`]
  const { rows } = await sql<Posting>`
    select ${POSTING} from ${POSTINGS} where ${sql.join(conditions, sql` and `)}
    order by p."sequence" limit ${max}`.execute(call.db)
  return rows
}
