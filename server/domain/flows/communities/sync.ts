import type { Community, CommunityRow, MatchBy } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { rowChecker } from '../../../platform/calls/rows.ts'
import { recordFirstStatuses } from '../../../platform/events/status-history.ts'
import { conflict, Problem } from '../../../platform/problems/problem.ts'
import { keysOf, lockKeyed, meantBy } from '../../../platform/resources/row-keys.ts'
import { type AskedRow, type Outcome, refusedAs, type Sync } from '../../../platform/resources/sync.ts'
import { checkTimeZone, lotsAreTaken, newCommunity } from '../../land/communities/community.ts'
import * as communities from '../../land/communities/queries.ts'
import { saidThere } from '../../statuses/ledger-states.ts'
import { moveDeadlines } from './move-deadlines.ts'

/** Syncs communities from an external system. Each row is treated like a call of createCommunity or updateCommunity. */
export function communitySync(match: MatchBy): Sync<'CommunityRow', Community> {
  return {
    schema: 'CommunityRow',
    ...saidThere('community', match),
    keysOf,

    async decide(call, rows) {
      const ids = await lockKeyed(call, 'communities', ['accountingId', 'externalId'], rows)
      const meant = meantBy(rows, await communities.findAll(call, ids), match)
      const counted = meant.flatMap((before, i) => {
        const isCounted = rows[i]?.values.lotCount != null
        return before === null || before instanceof Problem || !isCounted ? [] : before.id
      })
      const taken = await communities.takenLots(call, counted)
      return rows.map((row, i) => refusedAs(() => outcomeOf(call, row, meant[i] ?? null, taken)))
    },

    async insertAll(call, made) {
      await communities.insertAll(call, made)
      await recordFirstStatuses(call, made)
    },

    async updateAll(call, changed) {
      await communities.updateAll(call, changed)
      // One by one, because time zones hardly ever change.
      for (const { before, after } of changed) {
        if (after.timeZone === before.timeZone) continue
        await moveDeadlines(call, after.id)
        await communities.moveNotices(call, after.id, before.timeZone, after.timeZone)
      }
    },
  }
}

function outcomeOf(
  call: WriteCall,
  { values: { id: _id, ...values } }: AskedRow<CommunityRow>,
  before: Community | Problem | null,
  taken: ReadonlyMap<string, number>,
): Outcome<Community> | Problem {
  if (before instanceof Problem) return before
  checkTimeZone(values.timeZone)
  if (before === null) {
    const whole = rowChecker(call, 'CommunityCreate')(values)
    const made = communities.make(call, newCommunity(whole, call.timeZone))
    return { id: made.id, made, changed: [] }
  }
  const { status = before.status, ...rest } = values
  if (status !== before.status) {
    const pointed = [
      { pointer: '/status', code: 'fixed', message: 'cannot be changed here; use changeCommunityStatus' },
    ]
    return conflict(
      'wrong_status',
      `Cannot change the status of ${before.name} in a sync. Use changeCommunityStatus.`,
      { errors: pointed },
    )
  }
  const lots = taken.get(before.id) ?? 0
  if (rest.lotCount != null && rest.lotCount < lots) return conflict('in_use', lotsAreTaken(before.name, lots))
  return { id: before.id, made: null, changed: [{ before, after: { ...before, ...rest } }] }
}
