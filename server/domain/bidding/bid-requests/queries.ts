import { sql } from 'kysely'
import type { BidRequest, BidRequestSummary } from '../../../../client/contract.gen.ts'
import type { SealState, Tenant, WriteCall } from '../../../platform/calls/call.ts'
import type { Json } from '../../../platform/calls/json.ts'
import type { Db } from '../../../platform/database/database.ts'
import type { DueSql } from '../../../platform/due/find-due-jobs.ts'
import {
  type DueItem,
  type DuePage,
  lockAvailableRecords,
  toAfterPositionSql,
} from '../../../platform/due/process-due-items.ts'
import { declareRowType } from '../../../platform/resources/declaration.ts'
import { type ListQuery, type Page, toLinkedIdFilterSql } from '../../../platform/resources/listing.ts'
import { defineResource, type NewRow } from '../../../platform/resources/resource.ts'
import { toMinorUnitsSql } from '../../../platform/values/minor-units.ts'
import { hasSealedAmounts, isAmountHidden } from './bid-request.ts'
import { INVITATIONS_OF_REQUEST, type InvitationRow, insertInvitations } from './invitation-queries.ts'

/** A bid request as read from the database, without the fields that the service computes from invitations and bids. */
export interface BidRequestRow extends Omit<BidRequest, 'vendorIds' | 'invitations' | (typeof FIGURE_FIELDS)[number]> {
  invitations: InvitationRow[]
  figures: BidFigures
}

/** The fields that determine the visible figures. */
type FiguresSource = Pick<BidRequestRow, 'id' | 'blind' | 'status' | 'figures'>

const FIGURE_FIELDS = [
  'amountsHidden',
  'bidCount',
  'lowAmount',
  'highAmount',
  'averageAmount',
  'acceptedBidIds',
] as const

interface BidFigures {
  count: number
  low: number | null
  high: number | null
  average: number | null
  accepted: string[]
}

/**
 * SQL query for the figures of the bids. The count includes rejected bids, so that an award does not change it. The
 * amounts exclude rejected bids. Every read computes the figures, so they are always current.
 */
const FIGURES_SQL = `
  select json_build_object('count', count(*), 'low', min(b."amount") filter (where b."status" <> 'rejected'), 'high', max(b."amount") filter (where b."status" <> 'rejected'),
    'average', round(avg(b."amount") filter (where b."status" <> 'rejected'), ${toMinorUnitsSql('min(b."currency")')}),
    'accepted', coalesce(json_agg(b."id" order by b."id") filter (where b."status" = 'accepted'), '[]'))
  from "bids" as b
  where b."organizationId" = t."organizationId" and b."bidRequestId" = t."id" and b."status" in ('submitted', 'accepted', 'rejected')`

const INVITATION_COUNT_SQL = `
  select count(*)::integer from "invitations" as i
  where i."organizationId" = t."organizationId" and i."bidRequestId" = t."id"`

const rows = defineResource({
  schema: 'BidRequest',
  row: declareRowType<BidRequestRow>(),
  toRecord: toBidRequest,
  without: ['vendorIds', ...FIGURE_FIELDS],
  computed: { invitations: INVITATIONS_OF_REQUEST, figures: FIGURES_SQL },
})

export const { find, findAll, lock, assertExist, make } = rows

const summaries = defineResource({
  schema: 'BidRequestSummary',
  row: declareRowType<Omit<BidRequestSummary, (typeof FIGURE_FIELDS)[number]>>(),
  without: FIGURE_FIELDS,
  computed: { invitationCount: INVITATION_COUNT_SQL },
  beside: `json_build_object('id', t."id", 'blind', t."blind", 'status', t."status", 'figures', (${FIGURES_SQL}))`,
  long: ['lines', 'message', 'inclusions', 'exclusions', 'homeIds'],
  filters: {
    homeId: toLinkedIdFilterSql,
    vendorId: (vendor) =>
      `t."id" in (select i."bidRequestId" from "invitations" as i where i."organizationId" = $1 and i."vendorId" = ${vendor})`,
  },
})

/**
 * Updates a locked request. Every change that reveals hidden amounts uses this function, which adds the request to
 * `call.opened`.
 */
export const update: typeof rows.update = (call, before, changes, ifMatch) => {
  if (hasSealedAmounts(before)) call.opened.add(before.id)
  return rows.update(call, before, changes, ifMatch)
}

/** Stores a new request with its invitations. */
export async function insert(call: WriteCall, created: BidRequestRow): Promise<void> {
  await rows.insertAll(call, [created])
  await insertInvitations(call, created.invitations)
}

/** Returns the row of a new request, which has no bids yet. */
export function toRowWithoutBids(
  created: NewRow<BidRequestRow, 'invitations' | 'figures'>,
  invited: InvitationRow[],
): BidRequestRow {
  return { ...created, invitations: invited, figures: { count: 0, low: null, high: null, average: null, accepted: [] } }
}

/** Returns the bid request as it appears in responses and events. */
export function toBidRequest(call: SealState, row: BidRequestRow): BidRequest {
  const { invitations, figures: _, version, createdBy, createdAt, updatedAt, ...rest } = row
  return {
    ...rest,
    vendorIds: invitations.map((invitation) => invitation.vendorId),
    invitations,
    ...toShownFigures(call, row),
    version,
    createdBy,
    createdAt,
    updatedAt,
  }
}

/** Lists bid requests. Each has the number of its invitations. */
export function list(call: Tenant & SealState, query: ListQuery): Promise<Json<Page<BidRequestSummary>>> {
  return summaries.list(call, query, {}, (counted) => toShownFigures(call, counted as FiguresSource))
}

function toShownFigures(call: SealState, row: FiguresSource): Pick<BidRequest, (typeof FIGURE_FIELDS)[number]> {
  const { count, low, high, average, accepted } = row.figures
  const amountsHidden = isAmountHidden(call, row)
  return {
    amountsHidden,
    bidCount: count,
    lowAmount: amountsHidden ? null : low,
    highAmount: amountsHidden ? null : high,
    averageAmount: amountsHidden ? null : average,
    acceptedBidIds: accepted,
  }
}

/**
 * Increments the version of a request after its invitations or bids have changed. The caller must have locked the
 * request.
 */
export async function bumpVersion(call: WriteCall, id: string): Promise<BidRequestRow> {
  await sql`
    update "bidRequests" set "version" = "version" + 1, "updatedAt" = ${call.now}
    where "organizationId" = ${call.organizationId} and "id" = ${id}`.execute(call.db)
  return find(call, id)
}

/**
 * Returns the next bid request number of the organization. The counter row stays locked until the transaction ends, so
 * concurrent calls that create requests wait.
 */
export async function takeNextNumber(call: WriteCall): Promise<string> {
  const { rows } = await sql<{ last: number }>`
    insert into "bidRequestNumbers" as n ("organizationId", "last") values (${call.organizationId}, 1)
    on conflict ("organizationId") do update set "last" = n."last" + 1
    returning "last"`.execute(call.db)
  return `BR-${String(rows[0]?.last).padStart(4, '0')}`
}

export interface BidRequestPlace {
  communityName: string
  communityArchived: boolean
  timeZone: string
  /** The end of the deadline's day in the time zone of the community. */
  deadlineAt: string
}

/**
 * Returns the community and the end of the deadline's day in the time zone of the community. If the community has no
 * time zone, the time zone of the organization applies. Locks the time zone until the transaction ends. A concurrent
 * change of the time zone therefore waits, and also moves the new deadline.
 */
export async function findCommunityAndDeadline(
  call: WriteCall,
  communityId: string,
  deadline: string,
): Promise<BidRequestPlace | undefined> {
  const { rows } = await sql<BidRequestPlace>`
    select c."name" as "communityName", c."archivedAt" is not null as "communityArchived", zone.name as "timeZone",
      "dayStart"(${deadline}::date + 1, zone.name) as "deadlineAt"
    from "communities" as c
    join "organizations" as o on o."id" = c."organizationId",
    lateral (select coalesce(c."timeZone", o."timeZone") as name) as zone
    where c."organizationId" = ${call.organizationId} and c."id" = ${communityId}
    for share of c`.execute(call.db)
  return rows[0]
}

/** SQL expression for the end of the deadline's day of request `r`, in the time zone of community `c`. */
const END_OF_DAY_SQL = sql`"dayStart"(r."deadline" + 1, c."timeZone")`

/**
 * Locks those of the community's requests whose deadline is in the future and would change in the community's current
 * time zone. Returns their IDs.
 */
export async function lockMovableDeadlines(call: WriteCall, communityId: string, max: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select r."id" from "bidRequests" as r
    join "communities" as c on c."organizationId" = r."organizationId" and c."id" = r."communityId"
    where r."organizationId" = ${call.organizationId} and r."communityId" = ${communityId}
      and r."status" in ('draft', 'sent') and r."deadlineAt" > ${call.now}
      and ${END_OF_DAY_SQL} > ${call.now} and ${END_OF_DAY_SQL} <> r."deadlineAt"
    order by r."id" limit ${max} for no key update of r`.execute(call.db)
  return rows.map(({ id }) => id)
}

/** Moves the deadlines of locked requests to the end of the day in the community's current time zone. */
export async function moveDeadlines(call: WriteCall, ids: readonly string[]): Promise<void> {
  // Compute the deadlines in a separate query, because a distributed database cannot compute them in an update.
  const { rows } = await sql<{ id: string; deadlineAt: string }>`
    select r."id", ${END_OF_DAY_SQL} as "deadlineAt" from "bidRequests" as r
    join "communities" as c on c."organizationId" = r."organizationId" and c."id" = r."communityId"
    where r."organizationId" = ${call.organizationId} and r."id" = any(${[...ids]})`.execute(call.db)
  await sql`
    update "bidRequests" as r
    set "deadlineAt" = moved."deadlineAt", "version" = r."version" + 1, "updatedAt" = ${call.now}
    from unnest(${rows.map(({ id }) => id)}::text[], ${rows.map(({ deadlineAt }) => deadlineAt)}::timestamptz[])
      as moved ("id", "deadlineAt")
    where r."organizationId" = ${call.organizationId} and r."id" = moved."id"`.execute(call.db)
}

export interface RequestedHome {
  id: string
  name: string
  communityId: string
  isArchived: boolean
}

export async function listHomesByIds(call: Tenant, ids: readonly string[]): Promise<RequestedHome[]> {
  if (ids.length === 0) return []
  const { rows } = await sql<RequestedHome>`
    select "id", "name", "communityId", "archivedAt" is not null as "isArchived"
    from "homes" where "organizationId" = ${call.organizationId} and "id" = any(${ids})`.execute(call.db)
  return rows
}

export const toOverdueBidRequestsSql: DueSql = (now) => sql`
  select "organizationId" from "bidRequests" where "status" = 'sent' and "deadlineAt" <= ${now}`

/**
 * Returns overdue requests of any organization, longest overdue first. If there is none, the query performs a single
 * index lookup.
 */
export async function findOverdueBidRequests(db: Db, page: DuePage): Promise<DueItem[]> {
  const { rows } = await sql<DueItem>`
    select "organizationId", "id" as "claimedId", "id", "deadlineAt"::text as "at" from "bidRequests"
    where "status" = 'sent' and "deadlineAt" <= ${page.now}
      and ${toAfterPositionSql(page, 'deadlineAt', 'id')}
    order by "deadlineAt", "id" limit ${page.most}`.execute(db)
  return rows
}

/** Locks those requests that are not locked by another transaction, and returns their IDs. */
export function lockAvailableBidRequests(call: WriteCall, ids: readonly string[]): Promise<string[]> {
  return lockAvailableRecords(call, 'bidRequests', ids)
}

/**
 * Locks those requests that are still sent and overdue, and are not locked by another transaction. Returns their IDs.
 */
export function lockDueBidRequests(call: WriteCall, ids: readonly string[]): Promise<string[]> {
  return lockAvailableRecords(call, 'bidRequests', ids, sql`"status" = 'sent' and "deadlineAt" <= ${call.now}`)
}
