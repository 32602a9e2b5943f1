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
  effect: 'It ends for good, and what it took of the budget is free again.',
  reason: 'optional',
}

/** What can be done next with an order, the usual step first. */
const NEXT: Record<PurchaseOrderStatus, readonly Move[]> = {
  draft: [
    {
      to: 'approved',
      word: 'Approve',
      effect: 'It is approved at once within your limit and the budget. Otherwise it waits in the queue for somebody.',
    },
    VOID,
  ],
  pending_approval: [
    { to: 'approved', word: 'Approve', effect: 'It counts as committed, and can be issued to the vendor.' },
    { to: 'draft', word: 'Send back', effect: 'Whoever asked can change it and ask again.', reason: 'needed' },
    VOID,
  ],
  approved: [{ to: 'issued', word: 'Issue', effect: 'The vendor gets it and can accept or decline it.' }, VOID],
  issued: [
    { to: 'accepted', word: 'Accept for the vendor', effect: 'The vendor said yes, by phone for instance.' },
    { to: 'declined', word: 'Decline', effect: 'The vendor said no. It can be revised then.', reason: 'optional' },
    VOID,
  ],
  accepted: [
    { to: 'completed', word: 'Complete', effect: 'All of it is done, and becomes payable less the retainage.' },
    VOID,
  ],
  declined: [{ to: 'draft', word: 'Revise', effect: 'It is a draft again and can be changed.' }, VOID],
  partially_completed: [
    { to: 'completed', word: 'Complete', effect: 'All of it is done, and becomes payable less the retainage.' },
    VOID,
  ],
  completed: [
    { to: 'closed', word: 'Close', effect: 'Everything is settled: all of it counts as paid, with the retainage.' },
    {
      to: 'partially_completed',
      word: 'Not done yet',
      effect: 'It is under way again; what is done is recorded anew.',
      reason: 'needed',
    },
  ],
  closed: [],
  void: [],
}

/** The steps that an order can take now, each tried before it is done. */
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
  const reason = move.reason === 'needed' ? { reason: 'To be said.' } : {}
  const trial = useDryRun(
    'changePurchaseOrderStatus',
    { purchaseOrderId: order.id, status: move.to, ...reason },
    { enabled: canTry },
  )
  const change = plumbline.useMutation('post', '/api/ext/purchase-orders/{purchaseOrderId}/status', {
    onSuccess: ({ number, status }) => {
      say(
        status === 'pending_approval'
          ? `${number} waits for an approval`
          : `${number} is ${LOOKS.order[status].word.toLowerCase()}`,
      )
      onClose()
    },
  })
  return (
    <MoveDialog
      title={`${move.word}: ${order.number}`}
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
