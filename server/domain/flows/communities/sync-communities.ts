import type { Community, CommunityRow, MatchBy } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { createRowChecker } from '../../../platform/calls/row-checker.ts'
import { recordInitialStatuses } from '../../../platform/events/status-history.ts'
import { conflict, Problem } from '../../../platform/problems/problem.ts'
import { lockKeyed, matchRowsByKey, rowKeysOf } from '../../../platform/resources/row-keys.ts'
import {
  type PlannedWrite,
  returnProblem,
  type SyncDefinition,
  type SyncRow,
} from '../../../platform/resources/sync-rows.ts'
import { assertTimeZone, describeTakenLots, newCommunity } from '../../land/communities/community.ts'
import * as communities from '../../land/communities/queries.ts'
import { markAcknowledged } from '../../statuses/ledger-states.ts'
import { moveDeadlines } from './move-deadlines.ts'

/** Syncs communities from an external system. Each row is treated like a call of createCommunity or updateCommunity. */
export function defineCommunitySync(match: MatchBy): SyncDefinition<'CommunityRow', Community> {
  return {
    schema: 'CommunityRow',
    ...markAcknowledged('community', match),
    keysOf: rowKeysOf,

    async decide(call, rows) {
      const ids = await lockKeyed(call, 'communities', ['accountingId', 'externalId'], rows)
      const meant = matchRowsByKey(rows, await communities.findAll(call, ids), match)
      const counted = meant.flatMap((before, i) => {
        const isCounted = rows[i]?.values.lotCount != null
        return before === null || before instanceof Problem || !isCounted ? [] : before.id
      })
      const taken = await communities.countTakenLotsOfEach(call, counted)
      return rows.map((row, i) => returnProblem(() => planRow(call, row, meant[i] ?? null, taken)))
    },

    async insertAll(call, created) {
      await communities.insertAll(call, created)
      await recordInitialStatuses(call, created)
    },

    async updateAll(call, changed) {
      await communities.updateAll(call, changed)
      // One by one, because time zones hardly ever change.
      for (const { before, after } of changed) {
        if (after.timeZone === before.timeZone) continue
        await moveDeadlines(call, after.id)
        await communities.moveNoticeTimes(call, after.id, before.timeZone, after.timeZone)
      }
    },
  }
}

function planRow(
  call: WriteCall,
  { values: { id: _id, ...values } }: SyncRow<CommunityRow>,
  before: Community | Problem | null,
  taken: ReadonlyMap<string, number>,
): PlannedWrite<Community> | Problem {
  if (before instanceof Problem) return before
  assertTimeZone(values.timeZone)
  if (before === null) {
    const whole = createRowChecker(call, 'CommunityCreate')(values)
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
  if (rest.lotCount != null && rest.lotCount < lots) return conflict('in_use', describeTakenLots(before.name, lots))
  return { id: before.id, made: null, changed: [{ before, after: { ...before, ...rest } }] }
}
