import type { Community, CommunityRow, MatchBy } from '../../../client/contract.gen.ts'
import { moveDeadlines } from '../../bidding/bid-requests/move-deadlines.ts'
import { recordFirstStatuses } from '../../events/status-history.ts'
import type { WriteCall } from '../../http/call.ts'
import { conflict, Problem } from '../../http/problem.ts'
import { rowChecker } from '../../http/rows.ts'
import { saidThere } from '../../paying/ledger-states.ts'
import { keysOf, lockKeyed, meantBy } from '../../resources/row-keys.ts'
import { type AskedRow, type Outcome, refusedAs, type Sync } from '../../resources/sync.ts'
import { checkTimeZone, lotsAreTaken, newCommunity } from './community.ts'
import * as communities from './queries.ts'

/** Communities as another system has them. What createCommunity and updateCommunity do to one is done to all at once. */
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
      // Hardly ever, because a community stays where it is.
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
    const pointed = [{ pointer: '/status', code: 'fixed', message: 'is changed by changeCommunityStatus' }]
    return conflict('wrong_status', `${before.name} is ${before.status}.`, { errors: pointed })
  }
  const lots = taken.get(before.id) ?? 0
  if (rest.lotCount != null && rest.lotCount < lots) return conflict('in_use', lotsAreTaken(before.name, lots))
  return { id: before.id, made: null, changed: [{ before, after: { ...before, ...rest } }] }
}
