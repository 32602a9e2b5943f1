import { useState } from 'react'
import type { Payment, PaymentStatus } from '../../../client/contract.gen.ts'
import { useListPage } from '../../api/list-pages.ts'
import { plumbline } from '../../api/plumbline.ts'
import { useCan } from '../../api/session.ts'
import { useDryRun } from '../../api/use-skill.ts'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { MoveDialog } from '../../ui/move-dialog.tsx'
import { STATUS_LOOKS } from '../../ui/status-styles.ts'
import { showToast } from '../../ui/toast.tsx'
import { useFormats } from '../../ui/use-formats.ts'
import { buildPaidFields, PaidFields, type PaidInput } from './paid-fields.tsx'

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
      effect: 'The payment can be made. Mark the payment as paid after the money has been sent.',
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

/** Shows the buttons for the next steps of a payment. Each step runs as a dry run before it is performed. */
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
  // A reason is required, but its text does not affect the outcome. The dry run therefore uses this text.
  const reason = 'Enter a reason.'
  const tried = useDryRun(
    'changePaymentStatus',
    {
      paymentId: payment.id,
      status: move.to === 'voided' ? 'rejected' : move.to,
      ...(move.reason === 'needed' && { reason }),
      // The check number and the text of the reason do not affect the outcome, so typing them does not repeat the dry
      // run.
      ...(isPaid &&
        buildPaidFields({ ...paid, checkNumber: '', overrideReason: paid.overrideReason === '' ? '' : reason })),
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
        body: { status: move.to, ...(text !== undefined && { reason: text }), ...(isPaid && buildPaidFields(paid)) },
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
          <>
            <UnsignedWaiverWarning paymentId={payment.id} />
            <PaidFields
              {...{ payment, paid }}
              isRefused={(change.error ?? tried.error)?.status === 409}
              onChange={(changed) => {
                change.reset()
                // A restored draft changes several fields before the next rendering.
                setPaid((before) => ({ ...before, ...changed }))
              }}
            />
          </>
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

/** Warns that the payment is about to be sent although a requested lien waiver has not been signed. */
function UnsignedWaiverWarning({ paymentId }: { paymentId: string }) {
  const waivers = useListPage('/api/ext/lien-waivers', { paymentId, status: 'requested', limit: 1 })
  if (waivers.data === undefined || waivers.data.data.length === 0) return null
  return (
    <div className="banner" data-tone="warn" role="alert">
      <Icon name="warn" />
      <div>
        <strong>The lien waiver is not signed.</strong>{' '}
        <span className="muted">
          It was requested, but the vendor has not signed it. Pay after the vendor has signed.
        </span>
      </div>
    </div>
  )
}
