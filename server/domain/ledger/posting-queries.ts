import { type RawBuilder, sql } from 'kysely'
import type { Posting } from '../../../client/contract.gen.ts'
import type { Tenant } from '../../platform/calls/call.ts'
import { invalidCursor, readCursor, toPage } from '../../platform/calls/page.ts'

/** Which postings to read. */
export interface PostingQuery {
  from?: string | undefined
  to?: string | undefined
  knownAt?: string | undefined
  measure?: string | undefined
  homeId?: string | undefined
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

/** The conditions of a query on the table as `p`. */
export function getConditions({ organizationId }: Tenant, query: PostingQuery): RawBuilder<unknown>[] {
  const { from, to, knownAt, updatedAfter, createdAfter, ids } = query
  return [
    sql`p."organizationId" = ${organizationId}`,
    ...EQUAL.flatMap((field) => (query[field] === undefined ? [] : [sql`p.${sql.ref(field)} = ${query[field]}`])),
    ...(from === undefined ? [] : [sql`p."effectiveDate" >= ${from}`]),
    ...(to === undefined ? [] : [sql`p."effectiveDate" <= ${to}`]),
    ...(knownAt === undefined ? [] : [sql`p."recordedAt" <= ${knownAt}`]),
    ...[updatedAfter, createdAfter].flatMap((since) => (since === undefined ? [] : [sql`p."recordedAt" >= ${since}`])),
    ...(ids === undefined ? [] : [sql`p."id" = any(${ids})`]),
  ]
}

/** The fields of a posting. The note of a journal is in the journal, where the erasure of a person can replace it. */
export const POSTING = sql`p."id", p."sequence", p."entryId", p."measure", p."amount", p."effectiveDate", p."recordedAt",
  p."homeId", p."scope", p."costCodeId", p."vendorId", p."poId", p."poLineId", p."billId", p."paymentId", p."saleId",
  p."reversesEntryId", p."basis", coalesce(p."note", j."note") as "note", p."actor"`

/** The postings as `p`, with the journal of each as `j`. */
export const POSTINGS = sql`"postings" as p
  left join "journals" as j on j."organizationId" = p."organizationId" and j."id" = p."entryId"`

/** A page of postings in the order of recording. */
export async function list(
  call: Tenant,
  query: PostingQuery & { limit: number; cursor?: string | undefined; sort: string },
): Promise<{ data: Posting[]; nextCursor: string | null }> {
  const { limit, cursor, sort } = query
  const isDescending = sort.startsWith('-')
  const conditions = getConditions(call, query)
  if (cursor !== undefined) {
    const { value } = readCursor(sort, cursor)
    if (!Number.isSafeInteger(value)) throw invalidCursor()
    conditions.push(isDescending ? sql`p."sequence" < ${value}` : sql`p."sequence" > ${value}`)
  }
  const { rows } = await sql<Posting>`
    select ${POSTING} from ${POSTINGS} where ${sql.join(conditions, sql` and `)}
    order by p."sequence" ${isDescending ? sql`desc` : sql`asc`} limit ${limit + 1}`.execute(call.db)
  return toPage(rows, limit, sort, ({ sequence }) => sequence)
}

/** The postings after a sequence, oldest first. */
export async function listAfter(
  call: Tenant,
  query: PostingQuery,
  afterSequence: number,
  max: number,
): Promise<Posting[]> {
  const conditions = [...getConditions(call, query), sql`p."sequence" > ${afterSequence}`]
  const { rows } = await sql<Posting>`
    select ${POSTING} from ${POSTINGS} where ${sql.join(conditions, sql` and `)}
    order by p."sequence" limit ${max}`.execute(call.db)
  return rows
}
