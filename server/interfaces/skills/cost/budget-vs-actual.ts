import type { BudgetVsActualResult, BudgetVsActualRow } from '../../../../client/contract.gen.ts'
import { type BudgetRow, findBudgetRows } from '../../../domain/costs/budgets/figure-queries.ts'
import type { Call } from '../../../platform/calls/call.ts'
import type { Checked } from '../../../platform/calls/checked.gen.ts'
import { subtract, sum } from '../../../platform/values/money.ts'
import { findNamedHome } from '../frame/named-home.ts'
import { selectSentences, truncateRows, withReportFooter } from '../frame/report.ts'

const MAX_ROWS = 1000

export async function budgetVsActual(
  { homeId, groupBy }: Checked['BudgetVsActualInput'],
  call: Call,
): Promise<BudgetVsActualResult> {
  const [home, found] = await Promise.all([findNamedHome(call, homeId), findBudgetRows(call, [homeId])])
  const posted = found.get(homeId) ?? []
  const nameOf = ({ scope, code, name }: BudgetRow) =>
    groupBy === 'scope' ? scope : code === null ? 'Without a cost code' : `${code} ${name}`
  const groups = Map.groupBy(posted, nameOf)
  const { rows, truncated } = truncateRows(
    [...groups].map(([name, rows]) => sumRows(name, rows)),
    MAX_ROWS,
  )
  if (groupBy === 'costCode') rows.sort((a, b) => (a.name < b.name ? -1 : 1))
  const uncoded = posted.filter(({ costCodeId }) => costCodeId === null).length
  return {
    ...{ homeId, home: home.home, rows, total: sumRows('Total', posted) },
    ...withReportFooter(call, {
      truncated,
      unknown: selectSentences(
        groupBy === 'costCode' && uncoded > 0 && 'Lines without a cost code are shown as one group.',
      ),
    }),
    currency: call.currency,
  }
}

function sumRows(name: string, rows: readonly BudgetRow[]): BudgetVsActualRow {
  const of = (figure: (row: BudgetRow) => number) => sum(rows.map(figure))
  const budgeted = of((row) => row.budgeted)
  const committed = of((row) => row.committed)
  const actual = of((row) => row.actual)
  return {
    ...{ name, original: of((row) => row.originalBudgeted), changes: of((row) => row.approvedChanges), budgeted },
    ...{ committed, actual, paid: of((row) => row.paid) },
    ...{ variance: subtract(budgeted, committed), remaining: subtract(budgeted, actual) },
  }
}
