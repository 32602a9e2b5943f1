import type { PurchaseOrder } from '../../../client/contract.gen.ts'
import { Time } from '../../ui/time.tsx'

/** How far the order has come: what is done with its time, and what comes next. */
export function OrderSteps({ order }: { order: PurchaseOrder }) {
  const { status, approval } = order
  const steps = [
    { word: 'Drafted', at: order.createdAt, open: 'Being put together' },
    {
      word: 'Approved',
      at: approval.approvedAt,
      open:
        status === 'pending_approval' ? 'Waits for somebody with the limit' : 'Within the limit or by somebody else',
    },
    { word: 'Issued', at: order.issuedAt, open: 'The vendor has not got it yet' },
    {
      word: status === 'declined' ? 'Declined' : 'Accepted',
      at: order.acceptedAt,
      open: status === 'declined' ? 'The vendor said no' : 'The vendor has not answered',
    },
    { word: 'Completed', at: order.completedAt, open: 'The work is not all done' },
    { word: 'Closed', at: order.closedAt, open: 'Not everything is settled' },
  ]
  const isOver = status === 'void' || status === 'closed'
  const next = isOver ? -1 : steps.findIndex(({ at }) => at === null)
  return (
    <ol className="steps">
      {steps.map(({ word, at, open }, position) => (
        <li
          key={word}
          className={at !== null ? 'done' : position === next ? 'next' : undefined}
          aria-current={position === next ? 'step' : undefined}
        >
          <div>
            <strong>{word}</strong>
            <p className="small">{at === null ? position === next ? open : 'not yet' : <Time at={at} />}</p>
          </div>
        </li>
      ))}
    </ol>
  )
}
