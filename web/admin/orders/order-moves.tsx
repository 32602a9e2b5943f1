import type { UseQueryResult } from '@tanstack/react-query'
import { useState } from 'react'
import type { ApprovalExplanation, Problem, PurchaseOrder, PurchaseOrderStatus } from '../../../client/contract.gen.ts'
import { plumbline } from '../../api/plumbline.ts'
import { useCan } from '../../api/session.ts'
import { useChangePreview } from '../../api/use-skill.ts'
import { Button } from '../../ui/button.tsx'
import { MoveDialog } from '../../ui/move-dialog.tsx'
import { STATUS_LOOKS } from '../../ui/status-styles.ts'
import { showToast } from '../../ui/toast.tsx'
import { BudgetEffect } from './budget-effect.tsx'

interface OrderMove {
  to: PurchaseOrderStatus
  word: string
  effect: string
  reason?: 'needed' | 'optional'
}

const VOID_MOVE: OrderMove = {
  to: 'void',
  word: 'Void',
  effect: 'The committed budget becomes available again. This cannot be undone.',
  reason: 'optional',
}

/** The possible next statuses of an order. The usual one comes first. */
const MOVES_BY_STATUS: Record<PurchaseOrderStatus, readonly OrderMove[]> = {
  draft: [
    {
      to: 'approved',
      word: 'Approve',
      effect:
        'If the order is within your limit and the budget, it is approved immediately. Otherwise, it is added to the approval queue.',
    },
    VOID_MOVE,
  ],
  pending_approval: [
    {
      to: 'approved',
      word: 'Approve',
      effect: 'The amount counts as committed cost. You can then issue the order to the vendor.',
    },
    {
      to: 'draft',
      word: 'Send back',
      effect: 'The requester can edit the order and submit it again.',
      reason: 'needed',
    },
    VOID_MOVE,
  ],
  approved: [
    { to: 'issued', word: 'Issue', effect: 'The vendor will be notified and can accept or decline the order.' },
    VOID_MOVE,
  ],
  issued: [
    { to: 'accepted', word: 'Accept', effect: 'Record that the vendor accepted, for example by phone.' },
    {
      to: 'declined',
      word: 'Decline',
      effect: 'Record that the vendor declined. You can then revise the order.',
      reason: 'optional',
    },
    VOID_MOVE,
  ],
  accepted: [
    { to: 'completed', word: 'Complete', effect: 'All work is done. The amount becomes payable, less retainage.' },
    VOID_MOVE,
  ],
  declined: [{ to: 'draft', word: 'Revise', effect: 'The order becomes a draft that you can edit.' }, VOID_MOVE],
  partially_completed: [
    { to: 'completed', word: 'Complete', effect: 'All work is done. The amount becomes payable, less retainage.' },
    VOID_MOVE,
  ],
  completed: [
    { to: 'closed', word: 'Close', effect: 'The order counts as fully paid, including retainage.' },
    {
      to: 'partially_completed',
      word: 'Reopen',
      effect: 'The order is in progress again. Record its progress again.',
      reason: 'needed',
    },
  ],
  closed: [],
  void: [],
}

/** Returns whether this user can approve an order that awaits approval, and who else can. */
export function useApprovalExplanation(order: PurchaseOrder): UseQueryResult<ApprovalExplanation, Problem> {
  const can = useCan()
  return plumbline.useQuery(
    'get',
    '/api/ext/purchase-orders/{poId}/approval',
    { params: { path: { poId: order.id } } },
    { enabled: order.status === 'pending_approval' && can('pos:write') },
  )
}

/** Shows the buttons for the next steps of an order. Each step runs as a dry run before it is performed. */
export function OrderMoves({ order }: { order: PurchaseOrder }) {
  const can = useCan()
  const [chosen, setChosen] = useState<OrderMove | null>(null)
  const why = useApprovalExplanation(order).data
  if (!can('pos:write')) return null
  return (
    <>
      {MOVES_BY_STATUS[order.status].toReversed().map((move, at, all) => (
        <Button
          key={move.to}
          look={at === all.length - 1 ? 'primary' : move.to === 'void' ? 'danger' : 'plain'}
          // The page shows the reason why the button is disabled.
          disabled={move.to === 'approved' && why?.mayApprove === false}
          onClick={() => setChosen(move)}
        >
          {move.word}
        </Button>
      ))}
      {chosen !== null && <OrderMoveDialog order={order} move={chosen} onClose={() => setChosen(null)} />}
    </>
  )
}

function OrderMoveDialog({ order, move, onClose }: { order: PurchaseOrder; move: OrderMove; onClose(): void }) {
  const can = useCan()
  // A reason is required, but its text does not affect the outcome. The dry run therefore uses this text.
  const reason = move.reason === 'needed' ? { reason: 'Enter a reason.' } : {}
  const trial = useChangePreview('changePurchaseOrderStatus', { poId: order.id, status: move.to, ...reason })
  const change = plumbline.useMutation('post', '/api/ext/purchase-orders/{poId}/status', {
    onSuccess: ({ number, status }) => {
      showToast(
        status === 'pending_approval'
          ? `${number} submitted for approval`
          : `${number}: ${STATUS_LOOKS.order[status].word.toLowerCase()}`,
      )
      onClose()
    },
  })
  return (
    <MoveDialog
      title={`${move.word} ${order.number}?`}
      effect={move.effect}
      word={move.word}
      isDanger={move.to === 'void'}
      reason={move.reason}
      fields={move.to === 'approved' && can('budgets:read') && <BudgetEffect order={order} />}
      trial={trial}
      error={change.error}
      isPending={change.isPending}
      onClose={onClose}
      onConfirm={(text) =>
        change.mutate({
          params: { path: { poId: order.id } },
          body: { status: move.to, version: order.version, ...(text !== undefined && { reason: text }) },
        })
      }
    />
  )
}
