import type { PurchaseOrder } from '../../../client/contract.gen.ts'
import { plumbline } from '../../api/plumbline.ts'
import { humanizeName } from '../../ui/badge.tsx'
import { BudgetBar } from '../../ui/budget-bar.tsx'
import { RecordName } from '../../ui/record-name.tsx'
import { useFormats } from '../../ui/use-formats.ts'

/** Shows the budget bar of the trade in the home's budget, where the order already counts as pending. */
export function BudgetEffect({ order }: { order: PurchaseOrder }) {
  const { money } = useFormats()
  const budget = plumbline.useQuery('get', '/api/ext/homes/{homeId}/budget', {
    params: { path: { homeId: order.homeId } },
  }).data
  const scope = budget?.scopes.find(({ scope: name }) => name === order.scope)
  if (scope === undefined) return null
  const word = humanizeName(order.scope)
  const left = scope.budgeted - scope.committed - scope.pendingCommitted
  return (
    <div className="effect-box">
      <h3>
        {word}, <RecordName of="home" id={order.homeId} isPlain />
        <span className="push">
          {money(scope.committed + scope.pendingCommitted)} of {money(scope.budgeted)}
        </span>
      </h3>
      <div className="in">
        <BudgetBar
          label={word}
          budgeted={scope.budgeted}
          committed={scope.committed}
          pending={scope.pendingCommitted}
          actual={scope.actual}
          forecast={scope.forecastAtCompletion}
        />
        <p className="small muted">
          Committed {money(scope.committed)}, and {money(scope.committed + order.total)} after the approval.{' '}
          {left < 0 ? (
            <>
              All orders of the trade together exceed its budget by <b className="tone-bad">{money(-left)}</b>.
            </>
          ) : (
            <>
              <b className="tone-ok">{money(left)}</b> of the budget remains if every pending order is approved.
            </>
          )}
        </p>
      </div>
    </div>
  )
}
