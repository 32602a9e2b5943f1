import type { FindUnboughtScopesInput, FindUnboughtScopesResult } from '../../../../client/contract.gen.ts'
import type { Call } from '../../../platform/calls/call.ts'
import { daysBetween } from '../../../platform/values/calendar.ts'
import { sum } from '../../../platform/values/money.ts'
import { homeNamed } from '../frame/home.ts'
import { listed, reported, sentences, todayOf } from '../frame/report.ts'
import { coverageOf } from './coverage.ts'

const MOST_SCOPES = 200

export async function findUnboughtScopes(
  { homeId }: FindUnboughtScopesInput,
  call: Call,
): Promise<FindUnboughtScopesResult> {
  const [{ home }, found] = await Promise.all([
    homeNamed(call, homeId),
    coverageOf(call, { homeId, onlyUnbought: true }, MOST_SCOPES),
  ])
  const { rows, truncated } = listed(found, MOST_SCOPES)
  const today = todayOf(call)
  const scopes = rows.map(({ scope, budgeted, pending, neededOn, bids, hasContract, isOutForBids }) => ({
    ...{ scope, budgeted, pending, neededOn, bids, hasContract, isOutForBids },
    daysLeft: neededOn === null ? null : daysBetween(today, neededOn),
  }))
  const whenOf = ({ neededOn }: { neededOn: string | null }) => neededOn ?? '9999-12-31'
  scopes.sort((a, b) => (whenOf(a) < whenOf(b) ? -1 : whenOf(a) > whenOf(b) ? 1 : b.budgeted - a.budgeted))
  return {
    ...{ homeId, home, scopes, unbought: sum(scopes.map(({ budgeted }) => budgeted)) },
    ...reported(call, {
      truncated,
      unknown: sentences(
        scopes.some(({ neededOn }) => neededOn === null) &&
          'Trades without a task in the schedule have no needed date.',
        'A trade counts as bought with its first order, even if the order covers only part of the work.',
      ),
    }),
    currency: call.currency,
  }
}
