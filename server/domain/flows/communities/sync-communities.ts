import type { Community, CommunityRow, MatchBy } from '../../../../client/contract.gen.ts'
import type { WriteCall } from '../../../platform/calls/call.ts'
import { createRowChecker } from '../../../platform/calls/row-checker.ts'
import { recordInitialStatuses } from '../../../platform/events/status-history.ts'
import { conflict, Problem } from '../../../platform/problems/problem.ts'
import { getRowKeys, lockRecordsByKey, matchRowsByKey } from '../../../platform/resources/row-keys.ts'
import {
  catchProblem,
  type PlannedWrite,
  type SyncDefinition,
  type SyncRow,
} from '../../../platform/resources/sync-rows.ts'
import { assertValidTimeZone, buildCommunity, describeOccupiedLots } from '../../land/communities/community.ts'
import * as communities from '../../land/communities/queries.ts'
import { createAcknowledgeStep } from '../../statuses/ledger-states.ts'
import { moveBidDeadlines } from './move-bid-deadlines.ts'
import { hasNewCalendar, rescheduleHomesOfCommunities } from './reschedule-homes.ts'

/** Syncs communities from an external system. Handles each row like a call to createCommunity or updateCommunity. */
export function defineCommunitySync(match: MatchBy): SyncDefinition<'CommunityRow', Community> {
  return {
    schema: 'CommunityRow',
    ...createAcknowledgeStep('community', match),
    keysOf: getRowKeys,

    async decide(call, rows) {
      const ids = await lockRecordsByKey(call, 'communities', ['accountingId', 'externalId'], rows)
      const meant = matchRowsByKey(rows, await communities.findAll(call, ids), match)
      const counted = meant.flatMap((before, i) => {
        const isCounted = rows[i]?.values.lotCount != null
        return before === null || before instanceof Problem || !isCounted ? [] : before.id
      })
      const taken = await communities.countTakenLotsByCommunity(call, counted)
      return rows.map((row, i) => catchProblem(() => planRow(call, row, meant[i] ?? null, taken)))
    },

    async insertAll(call, created) {
      await communities.insertAll(call, created)
      await recordInitialStatuses(call, created)
    },

    async updateAll(call, changed) {
      await communities.updateAll(call, changed)
      // Communities are processed one at a time, because time zones and calendars rarely change.
      for (const { before, after } of changed) {
        if (after.timeZone !== before.timeZone) {
          await moveBidDeadlines(call, after.id)
          await communities.moveNoticeTimes(call, after.id, before.timeZone, after.timeZone)
        }
      }
      const rescheduled = changed.filter(({ before, after }) => hasNewCalendar(before, after))
      await rescheduleHomesOfCommunities(
        call,
        rescheduled.map(({ after }) => after),
      )
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
  assertValidTimeZone(values.timeZone)
  if (before === null) {
    const whole = createRowChecker(call, 'CommunityCreate')(values)
    const made = communities.make(call, buildCommunity(whole, call.timeZone))
    return { id: made.id, made, changed: [] }
  }
  const { status = before.status, ...rest } = values
  if (status !== before.status) {
    const pointed = [
      { pointer: '/status', code: 'fixed', message: 'cannot be changed here; use changeCommunityStatus' },
    ]
    return conflict(
      'wrong_status',
      `Cannot change the status of ${before.name} in a sync. Change it with changeCommunityStatus instead.`,
      { errors: pointed },
    )
  }
  const lots = taken.get(before.id) ?? 0
  if (rest.lotCount != null && rest.lotCount < lots) return conflict('in_use', describeOccupiedLots(before.name, lots))
  return { id: before.id, made: null, changed: [{ before, after: { ...before, ...rest } }] }
}
