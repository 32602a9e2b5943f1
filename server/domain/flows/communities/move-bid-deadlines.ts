import { sql } from 'kysely'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { buildEvent, recordEvents } from '../../../platform/events/record-event.ts'
import { conflict } from '../../../platform/problems/problem.ts'
import { formatNumber } from '../../../platform/values/format.ts'
import * as requests from '../../bidding/bid-requests/queries.ts'

/**
 * The maximum number of bid requests that can be moved. No community has so many open requests, and one transaction can
 * process this number.
 */
const MAX_MOVED = 1000

/**
 * The maximum number of bid requests in memory, each before and after the change. A bid request can have a thousand
 * invitations.
 */
const BATCH_SIZE = 50

/**
 * Moves the bid deadlines in a locked community to the end of the day in its new time zone. Moves only deadlines that
 * are in the future, and only if the new time is also in the future. The builder has promised vendors the existing
 * deadline, so correcting a time zone must not suddenly exclude them.
 */
export async function moveBidDeadlines(call: WriteCall, communityId: string): Promise<void> {
  const ids = await requests.lockMovableDeadlines(call, communityId, MAX_MOVED + 1)
  if (ids.length > MAX_MOVED) {
    throw conflict(
      'limit_reached',
      `Cannot change the time zone: the community has more than ${formatNumber(MAX_MOVED)} open bid requests. Close some of the bid requests first.`,
    )
  }
  for (let from = 0; from < ids.length; from += BATCH_SIZE) {
    const batch = ids.slice(from, from + BATCH_SIZE)
    const before = await requests.findAll(call, batch)
    await requests.moveDeadlines(call, batch)
    const after = await requests.findAll(call, batch)
    const events = after.map((row, i) => {
      const previous = before[i] === undefined ? null : requests.toBidRequest(call, before[i])
      return buildEvent(call, 'bid_request.updated', requests.toBidRequest(call, row), previous)
    })
    await recordEvents(call, events)
  }
  await moveBidExpirations(call, communityId)
}

/**
 * Moves the expiration times of bids, which are also at the end of the day in the community's time zone. Responses do
 * not contain these times, so the versions stay the same.
 */
async function moveBidExpirations({ db, organizationId, now }: WriteCall, communityId: string): Promise<void> {
  await sql`
    update "bids" as b set "expiresAt" = moved."at"
    from "communities" as c, "bids" as old,
      lateral (select (old."validUntil" + 1)::timestamp at time zone c."timeZone" as "at") as moved
    where c."organizationId" = ${organizationId} and c."id" = ${communityId}
      and old."organizationId" = ${organizationId} and old."communityId" = ${communityId}
      and old."status" = 'submitted' and old."expiresAt" > ${now} and moved."at" > ${now}
      and b."organizationId" = ${organizationId} and b."id" = old."id"`.execute(db)
}
