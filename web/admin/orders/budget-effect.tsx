import type { ReactNode } from 'react'
import type { BudgetScope, PurchaseOrder } from '../../../client/contract.gen.ts'
import { plumbline } from '../../api/plumbline.ts'
import { BudgetBar } from '../../ui/budget-bar.tsx'
import { humanizeName } from '../../ui/humanize-name.ts'
import { RecordName } from '../../ui/record-name.tsx'
import { useFormats } from '../../ui/use-formats.ts'

/** Shows the budget bar of the trade in the home's budget, where the order already counts as pending. */
export function BudgetEffect({ order }: { order: PurchaseOrder }) {
  const { money } = useFormats()
  return (
    <TradeBudget homeId={order.homeId} scope={order.scope} added={0}>
      {({ committed }) => (
        <>
          Committed {money(committed)}, and {money(committed + order.total)} after the approval.
        </>
      )}
    </TradeBudget>
  )
}

/** Shows the budget bar of the trade as it will be once the entered order is saved. */
export function PlannedBudgetEffect(props: {
  homeId: string
  scope: string
  /** The amount by which the pending cost changes. */
  added: number
  /** The words for the entered amount. */
  word: string
}) {
  const { added, word } = props
  const { money, difference } = useFormats()
  return (
    <TradeBudget {...props}>
      {({ committed, pendingCommitted }) => (
        <>
          Committed {money(committed)}, pending {money(pendingCommitted)}
          {added !== 0 && `, and ${word} ${difference(added)}`}.
        </>
      )}
    </TradeBudget>
  )
}

function TradeBudget(props: { homeId: string; scope: string; added: number; children(scope: BudgetScope): ReactNode }) {
  const { homeId, added } = props
  const { money } = useFormats()
  const budget = plumbline.useQuery('get', '/api/ext/homes/{homeId}/budget', { params: { path: { homeId } } }).data
  const scope = budget?.scopes.find(({ scope: name }) => name === props.scope)
  if (scope === undefined) return null
  const word = humanizeName(props.scope)
  const pending = scope.pendingCommitted + added
  const left = scope.budgeted - scope.committed - pending
  return (
    <div className="effect-box">
      <h3>
        {word}, <RecordName of="home" id={homeId} isPlain />
        <span className="push">
          {money(scope.committed + pending)} of {money(scope.budgeted)}
        </span>
      </h3>
      <div className="in">
        <BudgetBar
          label={word}
          budgeted={scope.budgeted}
          committed={scope.committed}
          pending={pending}
          actual={scope.actual}
          forecast={scope.forecastAtCompletion}
        />
        <p className="small muted">
          {props.children(scope)}{' '}
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
