import { useState } from 'react'
import type { Payment, PaymentStatus } from '../../../client/contract.gen.ts'
import { useMay } from '../../api/caller.ts'
import { plumbline } from '../../api/plumbline.ts'
import { useDryRun } from '../../api/skills.ts'
import { Button } from '../../ui/button.tsx'
import { LOOKS } from '../../ui/looks.ts'
import { MoveDialog } from '../../ui/move.tsx'
import { useFormats } from '../../ui/organization.ts'
import { say } from '../../ui/toast.tsx'
import { bodyOf, type Paid, PaidFields } from './paid-fields.tsx'

type Next = Extract<PaymentStatus, 'approved' | 'rejected' | 'paid'>

interface Move {
  to: Next | 'voided'
  word: string
  effect: string
  reason?: 'needed' | 'optional'
}

const VOID: Move = {
  to: 'voided',
  word: 'Void',
  effect: 'The amount becomes payable again, and the lien waivers are voided. This cannot be undone.',
  reason: 'needed',
}

const NEXT: Record<PaymentStatus, readonly Move[]> = {
  pending: [
    {
      to: 'approved',
      word: 'Approve',
      effect: 'The payment is released. Mark it as paid once the money has been sent.',
    },
    { to: 'rejected', word: 'Reject', effect: 'The amount becomes payable again.', reason: 'needed' },
    VOID,
  ],
  approved: [
    { to: 'paid', word: 'Mark as paid', effect: 'The money has been sent. The orders count the amount as paid.' },
    VOID,
  ],
  paid: [VOID],
  rejected: [],
  voided: [],
}

/** Offers the next steps of a payment. Each is tried before it is done. */
export function PaymentMoves({ payment }: { payment: Payment }) {
  const may = useMay()
  const [chosen, setChosen] = useState<Move | null>(null)
  if (!may('payments:write')) return null
  const moves = NEXT[payment.status]
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
      {chosen !== null && <Moving payment={payment} move={chosen} onClose={() => setChosen(null)} />}
    </>
  )
}

function Moving({ payment, move, onClose }: { payment: Payment; move: Move; onClose(): void }) {
  const may = useMay()
  const { cents, today } = useFormats()
  const [paid, setPaid] = useState<Paid>({ paidDate: today(), checkNumber: '', overrideReason: '' })
  const isPaid = move.to === 'paid'
  const canTry = may('skills:write')
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
      ...(isPaid && bodyOf({ ...paid, checkNumber: '', overrideReason: paid.overrideReason === '' ? '' : reason })),
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
    say(`${number}: ${LOOKS.payment[status].word.toLowerCase()}`)
    onClose()
  }
  const change = plumbline.useMutation('post', '/api/ext/payments/{paymentId}/status', { onSuccess })
  const takeBack = plumbline.useMutation('post', '/api/ext/payments/{paymentId}/void', { onSuccess })
  const confirm = (text: string | undefined) => {
    if (move.to === 'voided') takeBack.mutate({ ...at, body: { reason: text ?? '' } })
    else
      change.mutate({
        ...at,
        body: { status: move.to, ...(text !== undefined && { reason: text }), ...(isPaid && bodyOf(paid)) },
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
