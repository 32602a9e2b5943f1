import Big from 'big.js'
import type { DetectOverCommittedBudgetsResult, OverCommitment } from '../../client/contract.gen.ts'
import type { Call } from '../http/call.ts'
import type { Checked } from '../http/checked.gen.ts'
import { assertCommunity } from './named-community.ts'
import { everyItem } from './pages.ts'

/** How many are listed; the contract says so too. The rest is in the count. */
const MOST_LISTED = 500

export async function detectOverCommittedBudgets(
  input: Checked['DetectOverCommittedBudgetsInput'],
  call: Call,
): Promise<DetectOverCommittedBudgetsResult> {
  const { communityId, thresholdPercent } = input
  await assertCommunity(call, communityId)
  const found: OverCommitment[] = []
  let homesChecked = 0
  for await (const home of everyItem(call, 'listHomes', communityId === undefined ? {} : { communityId })) {
    homesChecked++
    const { scopes } = await call.operation('getHomeBudget', { homeId: home.id })
    for (const { scope, budgeted, committed, pendingCommitted } of scopes) {
      const used = new Big(committed).plus(pendingCommitted)
      if (used.lte(new Big(budgeted).times(thresholdPercent).div(100))) continue
      found.push({
        homeId: home.id,
        homeName: home.name,
        communityId: home.communityId,
        scope,
        budgeted,
        committed,
        pendingCommitted,
        usedPercent: budgeted === 0 ? null : used.times(100).div(budgeted).round(1).toNumber(),
        overBy: used.minus(budgeted).toNumber(),
      })
    }
  }
  found.sort((a, b) => b.overBy - a.overBy || (a.homeId < b.homeId ? -1 : 1))
  return {
    thresholdPercent,
    currency: call.currency,
    homesChecked,
    overCommittedCount: found.length,
    overCommitted: found.slice(0, MOST_LISTED),
    asOf: call.now.toISOString(),
  }
}
