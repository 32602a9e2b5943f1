import { useState } from 'react'
import type { Payment, PaymentStatus } from '../../../client/contract.gen.ts'
import { plumbline } from '../../api/plumbline.ts'
import { useCan } from '../../api/session.ts'
import { useDryRun } from '../../api/use-skill.ts'
import { Button } from '../../ui/button.tsx'
import { MoveDialog } from '../../ui/move-dialog.tsx'
import { STATUS_LOOKS } from '../../ui/status-styles.ts'
import { showToast } from '../../ui/toast.tsx'
import { useFormats } from '../../ui/use-formats.ts'
import { PaidFields, type PaidInput, toPaidBody } from './paid-fields.tsx'

type NextStatus = Extract<PaymentStatus, 'approved' | 'rejected' | 'paid'>

interface PaymentMove {
  to: NextStatus | 'voided'
  word: string
  effect: string
  reason?: 'needed' | 'optional'
}

const VOID_MOVE: PaymentMove = {
  to: 'voided',
  word: 'Void',
  effect: 'The amount becomes payable again, and the lien waivers are voided. This cannot be undone.',
  reason: 'needed',
}

const MOVES_BY_STATUS: Record<PaymentStatus, readonly PaymentMove[]> = {
  pending: [
    {
      to: 'approved',
      word: 'Approve',
      effect: 'The payment is released. Mark it as paid once the money has been sent.',
    },
    { to: 'rejected', word: 'Reject', effect: 'The amount becomes payable again.', reason: 'needed' },
    VOID_MOVE,
  ],
  approved: [
    { to: 'paid', word: 'Mark as paid', effect: 'The money has been sent. The orders count the amount as paid.' },
    VOID_MOVE,
  ],
  paid: [VOID_MOVE],
  rejected: [],
  voided: [],
}

/** Offers the next steps of a payment. Each is tried before it is done. */
export function PaymentMoves({ payment }: { payment: Payment }) {
  const can = useCan()
  const [chosen, setChosen] = useState<PaymentMove | null>(null)
  if (!can('payments:write')) return null
  const moves = MOVES_BY_STATUS[payment.status]
  return (
    <>
      {moves.toReversed().map((move) => (
        <Button
          key={move.to}
          look={move.to === 'voided' ? 'danger' : move === moves[0] ? 'primary' : 'plain'}
          onClick={() => setChosen(move)}
        >
          {move.word}
        </Button>
      ))}
      {chosen !== null && <PaymentMoveDialog payment={payment} move={chosen} onClose={() => setChosen(null)} />}
    </>
  )
}

function PaymentMoveDialog({ payment, move, onClose }: { payment: Payment; move: PaymentMove; onClose(): void }) {
  const can = useCan()
  const { cents, today } = useFormats()
  const [paid, setPaid] = useState<PaidInput>({ paidDate: today(), checkNumber: '', overrideReason: '' })
  const isPaid = move.to === 'paid'
  const canTry = can('skills:write')
  // A reason changes nothing about what happens; it only has to be there.
  const reason = 'Enter a reason.'
  const tried = useDryRun(
    'changePaymentStatus',
    {
      paymentId: payment.id,
      status: move.to === 'voided' ? 'rejected' : move.to,
      ...(move.reason === 'needed' && { reason }),
      // The check number and the text of the reason do not affect the outcome, so the trial does not run again for each
      // letter.
      ...(isPaid && toPaidBody({ ...paid, checkNumber: '', overrideReason: paid.overrideReason === '' ? '' : reason })),
    },
    { enabled: canTry && move.to !== 'voided' },
  )
  const voided = useDryRun(
    'voidPayment',
    { paymentId: payment.id, reason },
    { enabled: canTry && move.to === 'voided' },
  )
  const at = { params: { path: { paymentId: payment.id } } }
  const onSuccess = ({ number, status }: Payment) => {
    showToast(`${number}: ${STATUS_LOOKS.payment[status].word.toLowerCase()}`)
    onClose()
  }
  const change = plumbline.useMutation('post', '/api/ext/payments/{paymentId}/status', { onSuccess })
  const takeBack = plumbline.useMutation('post', '/api/ext/payments/{paymentId}/void', { onSuccess })
  const confirm = (text: string | undefined) => {
    if (move.to === 'voided') takeBack.mutate({ ...at, body: { reason: text ?? '' } })
    else
      change.mutate({
        ...at,
        body: { status: move.to, ...(text !== undefined && { reason: text }), ...(isPaid && toPaidBody(paid)) },
      })
  }
  return (
    <MoveDialog
      title={`${isPaid ? `Mark ${payment.number} as paid` : `${move.word} ${payment.number}`}, ${cents(payment.amount)}?`}
      effect={move.effect}
      word={move.word}
      isDanger={move.to === 'voided'}
      reason={move.reason}
      fields={
        isPaid && (
          <PaidFields
            {...{ payment, paid }}
            isRefused={(change.error ?? tried.error)?.status === 409}
            onChange={(next) => {
              change.reset()
              setPaid(next)
            }}
          />
        )
      }
      trial={!canTry ? null : move.to === 'voided' ? voided : tried}
      error={change.error ?? takeBack.error}
      isPending={change.isPending || takeBack.isPending}
      onConfirm={confirm}
      onClose={onClose}
    />
  )
}
