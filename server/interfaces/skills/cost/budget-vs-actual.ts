import type { BudgetVsActualResult, BudgetVsActualRow } from '../../../../client/contract.gen.ts'
import { type BudgetRow, rowsOfAll } from '../../../domain/costs/budgets/figure-queries.ts'
import type { Call } from '../../../platform/calls/call.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { minus, sum } from '../../../platform/values/money.ts'
import { homeNamed } from '../frame/home.ts'
import { listed, reported, sentences } from '../frame/report.ts'

const MOST_ROWS = 1000

export async function budgetVsActual(
  { homeId, groupBy }: Checked['BudgetVsActualInput'],
  call: Call,
): Promise<BudgetVsActualResult> {
  const [home, found] = await Promise.all([homeNamed(call, homeId), rowsOfAll(call, [homeId])])
  const posted = found.get(homeId) ?? []
  const nameOf = ({ scope, code, name }: BudgetRow) =>
    groupBy === 'scope' ? scope : code === null ? 'Without a cost code' : `${code} ${name}`
  const groups = Map.groupBy(posted, nameOf)
  const { rows, truncated } = listed(
    [...groups].map(([name, rows]) => added(name, rows)),
    MOST_ROWS,
  )
  if (groupBy === 'costCode') rows.sort((a, b) => (a.name < b.name ? -1 : 1))
  const uncoded = posted.filter(({ costCodeId }) => costCodeId === null).length
  return {
    ...{ homeId, home: home.home, rows, total: added('Total', posted) },
    ...reported(call, {
      truncated,
      unknown: sentences(groupBy === 'costCode' && uncoded > 0 && 'Lines without a cost code are shown as one group.'),
    }),
    currency: call.currency,
  }
}

function added(name: string, rows: readonly BudgetRow[]): BudgetVsActualRow {
  const of = (figure: (row: BudgetRow) => number) => sum(rows.map(figure))
  const budgeted = of((row) => row.budgeted)
  const committed = of((row) => row.committed)
  const actual = of((row) => row.actual)
  return {
    ...{ name, original: of((row) => row.originalBudgeted), changes: of((row) => row.approvedChanges), budgeted },
    ...{ committed, actual, paid: of((row) => row.paid) },
    ...{ variance: minus(budgeted, committed), remaining: minus(budgeted, actual) },
  }
}
