import { useState } from 'react'
import type { PurchaseOrder, PurchaseOrderStatus } from '../../../client/contract.gen.ts'
import { useMay } from '../../api/caller.ts'
import { plumbline } from '../../api/plumbline.ts'
import { useDryRun } from '../../api/skills.ts'
import { Button } from '../../ui/button.tsx'
import { LOOKS } from '../../ui/looks.ts'
import { MoveDialog } from '../../ui/move.tsx'
import { say } from '../../ui/toast.tsx'

interface Move {
  to: PurchaseOrderStatus
  word: string
  effect: string
  reason?: 'needed' | 'optional'
}

const VOID: Move = {
  to: 'void',
  word: 'Void',
  effect: 'The committed budget becomes available again. This cannot be undone.',
  reason: 'optional',
}

/** The possible next steps of an order, the usual step first. */
const NEXT: Record<PurchaseOrderStatus, readonly Move[]> = {
  draft: [
    {
      to: 'approved',
      word: 'Approve',
      effect:
        'Approved immediately if it is within your limit and the budget; otherwise it goes to the approval queue.',
    },
    VOID,
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
    VOID,
  ],
  approved: [
    { to: 'issued', word: 'Issue', effect: 'The vendor will be notified and can accept or decline the order.' },
    VOID,
  ],
  issued: [
    { to: 'accepted', word: 'Accept', effect: 'Record that the vendor accepted, for example by phone.' },
    {
      to: 'declined',
      word: 'Decline',
      effect: 'Record that the vendor declined. You can then revise the order.',
      reason: 'optional',
    },
    VOID,
  ],
  accepted: [
    { to: 'completed', word: 'Complete', effect: 'All work is done. The amount becomes payable, less retainage.' },
    VOID,
  ],
  declined: [{ to: 'draft', word: 'Revise', effect: 'The order becomes a draft that you can edit.' }, VOID],
  partially_completed: [
    { to: 'completed', word: 'Complete', effect: 'All work is done. The amount becomes payable, less retainage.' },
    VOID,
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

/** Offers the steps that an order can take now. Each is tried before it is done. */
export function OrderMoves({ order }: { order: PurchaseOrder }) {
  const may = useMay()
  const [chosen, setChosen] = useState<Move | null>(null)
  if (!may('pos:write')) return null
  return (
    <>
      {NEXT[order.status].toReversed().map((move, at, all) => (
        <Button
          key={move.to}
          look={at === all.length - 1 ? 'primary' : move.to === 'void' ? 'danger' : 'plain'}
          onClick={() => setChosen(move)}
        >
          {move.word}
        </Button>
      ))}
      {chosen !== null && <Moving order={order} move={chosen} onClose={() => setChosen(null)} />}
    </>
  )
}

function Moving({ order, move, onClose }: { order: PurchaseOrder; move: Move; onClose(): void }) {
  const may = useMay()
  const canTry = may('skills:write')
  // A reason changes nothing about what happens; it only has to be there.
  const reason = move.reason === 'needed' ? { reason: 'Enter a reason.' } : {}
  const trial = useDryRun(
    'changePurchaseOrderStatus',
    { purchaseOrderId: order.id, status: move.to, ...reason },
    { enabled: canTry },
  )
  const change = plumbline.useMutation('post', '/api/ext/purchase-orders/{purchaseOrderId}/status', {
    onSuccess: ({ number, status }) => {
      say(
        status === 'pending_approval'
          ? `${number} submitted for approval`
          : `${number}: ${LOOKS.order[status].word.toLowerCase()}`,
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
      trial={canTry ? trial : null}
      error={change.error}
      isPending={change.isPending}
      onClose={onClose}
      onConfirm={(text) =>
        change.mutate({
          params: { path: { purchaseOrderId: order.id } },
          body: { status: move.to, version: order.version, ...(text !== undefined && { reason: text }) },
        })
      }
    />
  )
}
