import { useState } from 'react'
import { Link, useNavigate } from 'react-router'
import type { Bill, BillStatus } from '../../../../client/contract.gen.ts'
import { toErrorMessage } from '../../../api/error-message.ts'
import { plumbline } from '../../../api/plumbline.ts'
import { useCan, useSession } from '../../../api/session.ts'
import { useDryRun } from '../../../api/use-skill.ts'
import { Button } from '../../../ui/button.tsx'
import { Field, readTextField, TextAreaField, TextField } from '../../../ui/form.tsx'
import { FormDialog } from '../../../ui/form-dialog.tsx'
import { MoveDialog } from '../../../ui/move-dialog.tsx'
import { findRecordPath } from '../../../ui/record-name.tsx'
import { STATUS_LOOKS } from '../../../ui/status-styles.ts'
import { showToast } from '../../../ui/toast.tsx'
import { useFormats } from '../../../ui/use-formats.ts'
import { PayBillDialog } from './pay-bill-dialog.tsx'

/** Returns whether part of the bill's amount is not in a payment yet. The amount of a credit memo is negative. */
export function isPayable({ status, openAmount, reservedAmount }: Bill): boolean {
  return (status === 'approved' || status === 'partially_paid') && openAmount - reservedAmount !== 0
}

interface BillMove {
  to: Extract<BillStatus, 'received' | 'approved' | 'rejected' | 'void'>
  word: string
  effect: string
  reason?: 'needed' | 'optional'
}

const VOID_MOVE: BillMove = {
  to: 'void',
  word: 'Void',
  effect: 'The amount is no longer owed, and the work can be billed again. This cannot be undone.',
  reason: 'needed',
}
const REJECT_MOVE: BillMove = {
  to: 'rejected',
  word: 'Reject',
  effect: 'The amount is not owed. A vendor who sent the bill in the portal sees the reason.',
  reason: 'needed',
}

/** The possible next statuses of a bill. The usual one comes first. */
const MOVES_BY_STATUS: Record<BillStatus, readonly BillMove[]> = {
  draft: [{ to: 'received', word: 'Submit', effect: 'The bill waits for approval.' }, VOID_MOVE],
  received: [
    { to: 'approved', word: 'Approve', effect: 'The amount is owed to the vendor and counts as cost of the home.' },
    REJECT_MOVE,
    VOID_MOVE,
  ],
  rejected: [{ to: 'received', word: 'Receive again', effect: 'The bill waits for approval again.' }],
  approved: [VOID_MOVE],
  partially_paid: [],
  paid: [],
  void: [],
}

/** Shows the buttons for the next steps of a bill and for the changes that its status allows. */
export function BillMoves({ bill }: { bill: Bill }) {
  const can = useCan()
  const navigate = useNavigate()
  const [chosen, setChosen] = useState<BillMove | null>(null)
  const [isChanging, setIsChanging] = useState(false)
  const [isPaying, setIsPaying] = useState(false)
  const mayWrite = can('bills:write')
  const moves = mayWrite ? MOVES_BY_STATUS[bill.status] : []
  const isEditable = bill.status === 'draft' || bill.status === 'received'
  return (
    <>
      {!mayWrite ? null : isEditable ? (
        <Button onClick={() => void navigate(`/payments/bills/${bill.id}/edit`)}>Edit</Button>
      ) : (
        bill.status !== 'void' &&
        bill.status !== 'rejected' && <Button onClick={() => setIsChanging(true)}>Invoice and hold</Button>
      )}
      {moves.toReversed().map((move) => (
        <Button
          key={move.to}
          look={move.to === 'void' ? 'danger' : move === moves[0] ? 'primary' : 'plain'}
          // On a phone, only the buttons for the usual step and for the rejection are shown.
          onClick={() => setChosen(move)}
        >
          {move.word}
        </Button>
      ))}
      {can('payments:write') && isPayable(bill) && bill.openAmount > 0 && (
        <Button look="primary" onClick={() => setIsPaying(true)}>
          Pay
        </Button>
      )}
      {isPaying && <PayBillDialog bill={bill} onClose={() => setIsPaying(false)} />}
      {chosen !== null && <BillMoveDialog bill={bill} move={chosen} onClose={() => setChosen(null)} />}
      {isChanging && <InvoiceDialog bill={bill} onClose={() => setIsChanging(false)} />}
    </>
  )
}

function BillMoveDialog({ bill, move, onClose }: { bill: Bill; move: BillMove; onClose(): void }) {
  const can = useCan()
  const { cents, money } = useFormats()
  const limit = useSession().user.poApprovalLimit
  const [overrideReason, setOverrideReason] = useState('')
  const canTry = can('skills:write')
  const isVoid = move.to === 'void'
  // The text of the reason does not affect the outcome, so the dry run uses this text.
  const reason = 'Enter a reason.'
  const override = overrideReason.trim()
  const tried = useDryRun(
    'changeBillStatus',
    {
      ...{ billId: bill.id, status: move.to },
      ...(move.reason === 'needed' && { reason }),
      ...(override !== '' && { overrideReason: reason }),
    },
    { enabled: canTry && !isVoid },
  )
  const voided = useDryRun('voidBill', { billId: bill.id, reason }, { enabled: canTry && isVoid })
  const trial = isVoid ? voided : tried
  const at = { params: { path: { billId: bill.id } } }
  const onSuccess = ({ number, status }: Bill) => {
    showToast(`${number}: ${STATUS_LOOKS.bill[status].word.toLowerCase()}`)
    onClose()
  }
  const change = plumbline.useMutation('post', '/api/ext/bills/{billId}/status', { onSuccess })
  const end = plumbline.useMutation('post', '/api/ext/bills/{billId}/void', { onSuccess })
  const error = change.error ?? end.error ?? trial.error
  const { problem } = toErrorMessage(error)
  const isOverridable = error !== null && problem?.reason === 'needs_override'
  return (
    <MoveDialog
      title={`${move.word} ${bill.number}, ${cents(bill.amount)}?`}
      effect={
        <>
          {move.effect}
          {move.to === 'approved' && limit !== null && (
            <span className="muted">
              {' '}
              Your approval limit is {money(limit)}. It applies to lines without an order, and to overrides.
            </span>
          )}
        </>
      }
      word={move.word}
      isDanger={isVoid}
      reason={move.reason}
      fields={
        (isOverridable || override !== '') && (
          <Field
            name="overrideReason"
            label="Reason for override"
            hint={
              move.to === 'approved'
                ? 'Records the missing progress of the orders. Requires permission to override.'
                : 'Recorded in the history. Requires permission to override.'
            }
          >
            {(control) => (
              <input
                {...control}
                className="input"
                autoComplete="off"
                maxLength={400}
                value={overrideReason}
                onChange={(event) => {
                  change.reset()
                  setOverrideReason(event.target.value)
                }}
              />
            )}
          </Field>
        )
      }
      trial={canTry ? trial : null}
      error={change.error ?? end.error}
      remedy={() => problem?.conflictingId !== undefined && <ConflictLink id={problem.conflictingId} />}
      isBlocked={problem?.status === 403 || (problem?.status === 409 && (!isOverridable || override === ''))}
      isPending={change.isPending || end.isPending}
      onClose={onClose}
      onConfirm={(text) => {
        if (isVoid) return end.mutate({ ...at, body: { reason: text ?? '' } })
        change.mutate({
          ...at,
          body: {
            status: move.to,
            ...(text !== undefined && { reason: text }),
            ...(override !== '' && { overrideReason: override }),
          },
        })
      }}
    />
  )
}

/** Links to the other record with the same invoice number. */
export function ConflictLink({ id }: { id: string }) {
  const to = findRecordPath(id)
  return to === null ? null : <Link to={to}>Open the record with the same invoice number</Link>
}

/** Lets the user change the fields of an approved bill that can still change: the invoice number and the hold. */
function InvoiceDialog({ bill, onClose }: { bill: Bill; onClose(): void }) {
  const change = plumbline.useMutation('patch', '/api/ext/bills/{billId}', {
    onSuccess: ({ number }) => {
      showToast(`${number} changed`)
      onClose()
    },
  })
  const { problem } = toErrorMessage(change.error)
  return (
    <FormDialog
      title={`Change ${bill.number}`}
      note="The lines and dates of an approved bill cannot be changed."
      size="narrow"
      word="Save"
      of={bill}
      {...{ change, onClose }}
      onSubmit={(form, header) => {
        const overrideReason = readTextField(form, 'overrideReason')
        change.mutate({
          params: { path: { billId: bill.id }, header },
          body: {
            invoiceNumber: readTextField(form, 'invoiceNumber') ?? null,
            holdReason: readTextField(form, 'holdReason') ?? null,
            ...(overrideReason !== undefined && { overrideReason }),
          },
        })
      }}
    >
      <TextField name="invoiceNumber" label="Invoice number" optional defaultValue={bill.invoiceNumber ?? ''} />
      <TextAreaField
        name="holdReason"
        label="Reason for hold"
        optional
        rows={2}
        defaultValue={bill.holdReason ?? ''}
        hint="Payment runs skip a bill on hold. Remove the reason to release the bill."
      />
      {change.error !== null && problem?.reason === 'needs_override' && (
        <>
          {problem.conflictingId !== undefined && <ConflictLink id={problem.conflictingId} />}
          <TextField name="overrideReason" label="Reason to use the number again" />
        </>
      )}
    </FormDialog>
  )
}
