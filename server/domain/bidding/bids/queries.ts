import { sql } from 'kysely'
import type { Bid, BidLevelingAmount, BidRequest } from '../../../../client/contract.gen.ts'
import {
  type Call,
  listSealedRequestIds,
  type SealState,
  type Tenant,
  type WriteCall,
} from '../../../platform/calls/call.ts'
import type { Db } from '../../../platform/database/database.ts'
import type { DueSql } from '../../../platform/due/find-due-jobs.ts'
import { type DueItem, type DuePage, toAfterPositionSql } from '../../../platform/due/process-due-items.ts'
import { declareRowType } from '../../../platform/resources/declaration.ts'
import { defineResource } from '../../../platform/resources/resource.ts'
import { isAmountHidden } from '../bid-requests/bid-request.ts'

/** A bid as stored. The row always contains the amounts, even while they are hidden from all users. */
export interface BidRow extends Omit<Bid, 'amount' | 'amountsHidden'> {
  amount: number
  expiresAt: string | null
  /** The amounts that the builder has entered for parts that cannot be compared. The vendor never sees them. */
  leveling: BidLevelingAmount[]
  request: Pick<BidRequest, 'id' | 'blind' | 'status'>
}

// SQL query for the fields that determine whether amounts are shown. The rule is in `bid-request.ts`.
const REQUEST_SQL = `
  select json_build_object('id', r."id", 'blind', r."blind", 'status', r."status")
  from "bidRequests" as r where r."organizationId" = t."organizationId" and r."id" = t."bidRequestId"`

const PO_IDS_SQL = `
  select coalesce(json_agg(p."id" order by p."id"), '[]')
  from "purchaseOrders" as p where p."organizationId" = t."organizationId" and p."bidId" = t."id"`

// SQL query for the ID of the newest revision of the contract, ignoring terminated and archived revisions.
const CONTRACT_ID_SQL = `
  select c."id" from "contracts" as c
  where c."organizationId" = t."organizationId" and c."bidId" = t."id" and c."archivedAt" is null
    and c."status" in ('draft', 'active', 'expired')
  order by c."revision" desc limit 1`

export const { list, find, findAll, findAllWith, findOptional, lock, insert, update } = defineResource({
  schema: 'Bid',
  row: declareRowType<BidRow>(),
  toRecord: toBid,
  without: ['amountsHidden'],
  stored: { amount: 'decimal', expiresAt: 'instant?', leveling: 'json' },
  computed: { poIds: PO_IDS_SQL, contractId: CONTRACT_ID_SQL, request: REQUEST_SQL },
  long: ['lines', 'alternates', 'inclusions', 'exclusions', 'awardedLineIds'],
})

/** Returns the bid as it appears in responses. */
export function toBid(call: SealState, row: BidRow): Bid {
  const { request, expiresAt: _, leveling: __, version, createdBy, createdAt, updatedAt, ...rest } = row
  const amountsHidden = isAmountHidden(call, request)
  return {
    ...rest,
    ...(amountsHidden && {
      amount: null,
      lines: row.lines.map((line) => ({ ...line, unitPrice: null, amount: null })),
      alternates: row.alternates.map((alternate) => ({ ...alternate, amount: null })),
    }),
    amountsHidden,
    version,
    createdBy,
    createdAt,
    updatedAt,
  }
}

/**
 * Returns all bids of a request with these statuses. The result is exact while the request's row is locked, because
 * every change of a bid locks this row.
 */
export function listBidsOfRequest(
  call: Tenant,
  bidRequestId: string,
  statuses: readonly Bid['status'][],
): Promise<BidRow[]> {
  return findAllWith(call, { bidRequestId: [bidRequestId], status: statuses })
}

export interface LastPrice {
  vendorId: string
  bidId: string
  amount: number
  submittedAt: string
  /** The number of homes that the amount covers. */
  homeCount: number
}

/**
 * Returns the newest bid of each vendor with a bid in a trade. Ignores withdrawn bids, and bids whose amount is hidden
 * (see `isAmountHidden`).
 */
export async function findLastPrices(
  call: Call,
  vendorIds: readonly string[],
  scope: string,
): Promise<Map<string, LastPrice>> {
  const { db, organizationId } = call
  const { rows } = await sql<LastPrice>`
    select v."id" as "vendorId", last.* from unnest(${[...vendorIds]}::text[]) as v("id")
    cross join lateral (
      select b."id" as "bidId", b."amount", b."submittedAt",
        case when b."homeId" is null then greatest(1, cardinality(r."homeIds")) else 1 end as "homeCount"
      from "bids" as b join "bidRequests" as r on r."organizationId" = b."organizationId" and r."id" = b."bidRequestId"
      where b."organizationId" = ${organizationId} and b."vendorId" = v."id" and b."scope" = ${scope}
        and b."status" <> 'withdrawn' and not (r."blind" and r."status" = 'sent')
        and r."id" <> all(${listSealedRequestIds(call)}::text[])
      order by b."submittedAt" desc, b."id" desc limit 1
    ) as last`.execute(db)
  return new Map(rows.map((row) => [row.vendorId, row]))
}

/** Increments the version of a locked bid whose purchase orders or contract have changed. */
export async function bumpVersion(call: WriteCall, id: string): Promise<void> {
  await sql`
    update "bids" set "version" = "version" + 1, "updatedAt" = ${call.now}
    where "organizationId" = ${call.organizationId} and "id" = ${id}`.execute(call.db)
}

export const toExpiredBidsSql: DueSql = (now) => sql`
  select "organizationId" from "bids"
  where "status" = 'submitted' and "expiresAt" is not null and "expiresAt" <= ${now}`

/**
 * Returns submitted bids of any organization that have expired, longest overdue first. If there is none, the query
 * performs a single index lookup.
 */
export async function findExpiredBids(db: Db, page: DuePage): Promise<DueItem[]> {
  const { rows } = await sql<DueItem>`
    select "organizationId", "bidRequestId" as "claimedId", "id", "expiresAt"::text as "at" from "bids"
    where "status" = 'submitted' and "expiresAt" is not null and "expiresAt" <= ${page.now}
      and ${toAfterPositionSql(page, 'expiresAt', 'id')}
    order by "expiresAt", "id" limit ${page.most}`.execute(db)
  return rows
}
