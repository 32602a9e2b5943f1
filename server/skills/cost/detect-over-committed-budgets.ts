import Big from 'big.js'
import type { DetectOverCommittedBudgetsResult, Home, OverCommitment } from '../../../client/contract.gen.ts'
import * as budgets from '../../costs/budgets/queries.ts'
import type { Call } from '../../http/call.ts'
import type { Checked } from '../../http/checked.gen.ts'
import type { Effort } from '../frame/effort.ts'
import { everyPage } from '../frame/pages.ts'

/** How many are listed, as the contract says; the count includes the rest. */
const MOST_LISTED = 500

export async function detectOverCommittedBudgets(
  input: Checked['DetectOverCommittedBudgetsInput'],
  call: Call,
  effort: Effort,
): Promise<DetectOverCommittedBudgetsResult> {
  const { communityId, thresholdPercent } = input
  const found: OverCommitment[] = []
  let homesChecked = 0
  for await (const homes of everyPage(call, effort, 'listHomes', communityId === undefined ? {} : { communityId })) {
    homesChecked += homes.length
    const scopes = await budgets.commitmentsOfAll(
      call,
      homes.map(({ id }) => id),
    )
    for (const home of homes) {
      const over = (scopes.get(home.id) ?? []).map((scope) => overCommitment(home, scope, thresholdPercent))
      found.push(...over.filter((each) => each !== null))
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

function overCommitment(
  home: Home,
  { scope, budgeted, committed, pendingCommitted }: budgets.Commitment,
  thresholdPercent: number,
): OverCommitment | null {
  const used = new Big(committed).plus(pendingCommitted)
  if (used.lte(new Big(budgeted).times(thresholdPercent).div(100))) return null
  return {
    homeId: home.id,
    homeName: home.name,
    communityId: home.communityId,
    scope,
    budgeted,
    committed,
    pendingCommitted,
    usedPercent: budgeted === 0 ? null : used.times(100).div(budgeted).round(1).toNumber(),
    overBy: used.minus(budgeted).toNumber(),
  }
}
