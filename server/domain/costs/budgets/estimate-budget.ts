import type { BudgetEstimate, Home, SelectionIssue, UnpricedLine } from '../../../../client/contract.gen.ts'
import { recordChange, type WriteCall } from '../../../platform/calls/call.ts'
import { conflict } from '../../../platform/problems/problem.ts'
import { toLocalDate } from '../../../platform/values/calendar.ts'
import { formatTimestamp } from '../../../platform/values/format.ts'
import { sum } from '../../../platform/values/money.ts'
import * as communities from '../../land/communities/queries.ts'
import { computeCosting } from './costing.ts'
import { replaceEstimate } from './estimate-queries.ts'
import { getCostingOption } from './selected-option.ts'
import { findActiveSelections, storeSelectionCosts } from './selection-queries.ts'

/**
 * Estimates the budget of a locked home with its approved selections. Throws `conflict` if the budget can no longer be
 * estimated. The number of statements does not depend on the length of the takeoff.
 */
export async function estimateBudget(call: WriteCall, home: Home, date: string | undefined): Promise<BudgetEstimate> {
  const { planId, planRevision, elevation } = home
  if (home.budgetLockedAt !== null)
    throw conflict(
      'budget_locked',
      `Cannot estimate the budget of ${home.name}: it was locked on ${formatTimestamp(home.budgetLockedAt, call.timeZone)}.`,
    )
  if (planId === null || planRevision === null)
    throw conflict(
      'missing_data',
      `Cannot estimate the budget: ${home.name} has no plan. Set planId on the home first.`,
    )
  const community = await communities.find(call, home.communityId)
  const on = date ?? toLocalDate(community.timeZone, call.now)
  const selected = await findActiveSelections(call, home.id)
  const of = new Set(selected.map(({ id }) => id))
  const { base, selections } = await computeCosting(call, home, { on, base: true, selected, of, also: [] })
  const lines = [...base.lines, ...selections.flatMap((each) => each.lines)]
  const unpriced = [...base.unpriced, ...selections.flatMap((each) => each.unpriced)]
  const { added, changed, removed } = await replaceEstimate(
    call,
    { homeId: home.id, isLocked: false, of: 'all' },
    lines,
  )
  const computed = new Set(selected.flatMap((each) => (getCostingOption(each) === null ? [] : [each.id])))
  await storeSelectionCosts(
    call,
    selections
      .filter(({ id }) => computed.has(id))
      .map((each) => ({ ...each, issues: toSelectionIssues(each.unpriced) })),
  )
  if (added + changed + removed > 0) recordChange(call, home.id, 'updated', ['budget'])
  return {
    ...{ homeId: home.id, planId, planRevision, elevation, on },
    total: sum(lines.map(({ amount }) => amount)),
    covered: lines.flatMap(({ optionSelectionId, scope, contractId, amount }) =>
      contractId === null ? [] : [{ optionSelectionId, scope, contractId, amount }],
    ),
    ...{ priced: lines.length, added, changed, removed, unpriced, currency: call.currency },
  }
}

/** The maximum number of issues that are stored with a selection. The response of the estimate contains all issues. */
const MAX_ISSUES_SHOWN = 20

export function toSelectionIssues(unpriced: readonly UnpricedLine[]): SelectionIssue[] {
  return unpriced
    .slice(0, MAX_ISSUES_SHOWN)
    .map(({ lineId, partId, sku, name, issue }) => ({ lineId, partId, sku, name, issue }))
}
