import type { PurchaseOrder } from '../../../client/contract.gen.ts'
import { TimeText } from '../../ui/time.tsx'

/** Shows how far an order is: the completed steps with their times, and the next step. */
export function OrderSteps({ order }: { order: PurchaseOrder }) {
  const { status, approval } = order
  const steps = [
    { word: 'Drafted', at: order.createdAt, open: 'In preparation' },
    {
      word: 'Approved',
      at: approval.approvedAt,
      open: status === 'pending_approval' ? 'Waiting for approval' : 'Not submitted yet',
    },
    { word: 'Issued', at: order.issuedAt, open: 'Not sent to the vendor yet' },
    {
      word: status === 'declined' ? 'Declined' : 'Accepted',
      at: order.acceptedAt,
      open: status === 'declined' ? 'Declined by the vendor' : 'Waiting for the vendor',
    },
    { word: 'Completed', at: order.completedAt, open: 'Work in progress' },
    { word: 'Closed', at: order.closedAt, open: 'Not fully paid yet' },
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
            <p className="small">{at === null ? position === next ? open : 'not yet' : <TimeText at={at} />}</p>
          </div>
        </li>
      ))}
    </ol>
  )
}
