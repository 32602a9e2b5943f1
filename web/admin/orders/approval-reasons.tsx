import type { ApprovalExplanation } from '../../../client/contract.gen.ts'
import { Icon } from '../../ui/icon.tsx'
import { formatCount, formatList } from '../../ui/text-formats.ts'
import { useFormats } from '../../ui/use-formats.ts'

/** Shows why an order needs approval. If this user cannot approve it, also shows who can. */
export function ApprovalReasons({ of: why }: { of: ApprovalExplanation }) {
  const { money } = useFormats()
  return (
    <>
      {why.overBudgetBy > 0 && (
        <div className="banner" data-tone="warn">
          <Icon name="warn" />
          <div>
            <strong>
              {money(why.overBudgetBy)} above the {why.scope} budget.
            </strong>{' '}
            <span className="muted">
              {money(why.budgetLeft ?? 0)} remains for {why.scope}. This order is {money(why.total)}.
            </span>
          </div>
        </div>
      )}
      {!why.mayApprove && <ApprovalLimit of={why} />}
    </>
  )
}

/** Shows that this user cannot approve the order, and who can. */
export function ApprovalLimit({ of: why }: { of: ApprovalExplanation }) {
  const { money } = useFormats()
  const others = why.approvers.map(({ name }) => name)
  return (
    <div className="banner" data-tone="warn">
      <Icon name="lock" />
      <div>
        <strong>
          {why.limit === null
            ? 'You cannot approve orders.'
            : `The order exceeds your approval limit of ${money(why.limit)}.`}
        </strong>{' '}
        <span className="muted">
          {others.length === 0
            ? 'No one can approve this amount. Ask an admin to raise an approval limit.'
            : `${formatList(others.slice(0, 3))} can approve the order${others.length > 3 ? `, and ${formatCount(others.length - 3, 'other')}` : ''}.`}
        </span>
      </div>
    </div>
  )
}
