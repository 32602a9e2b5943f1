import { useState } from 'react'
import type { Selection, SelectionStatus } from '../../../client/contract.gen.ts'
import { plumbline } from '../../api/plumbline.ts'
import { useCan } from '../../api/session.ts'
import { useDryRun } from '../../api/use-skill.ts'
import { MoveDialog } from '../../ui/move-dialog.tsx'
import { showToast } from '../../ui/toast.tsx'
import { useFormats } from '../../ui/use-formats.ts'
import { needsOverride, OverrideField } from './override-field.tsx'
import { isPastDeadline, type SelectionPlace } from './selection-lock.ts'
import { useSelectionName } from './selection-name.ts'

const WORDS: Readonly<Record<SelectionStatus, readonly [verb: string, done: string]>> = {
  approved: ['Approve', 'approved'],
  declined: ['Remove', 'removed'],
  cancelled: ['Remove', 'removed'],
  pending: ['Reopen', 'reopened'],
  ordered: ['Mark as ordered', 'marked as ordered'],
  installed: ['Mark as installed', 'marked as installed'],
}

/** The status changes that are the buyer's choice, which needs a reason after the deadline. */
const CHOICES: readonly SelectionStatus[] = ['approved', 'pending', 'cancelled']

/** Changes the status of a selection, after a preview of the effect on the price of the home. */
export function SelectionStatusDialog(props: {
  place: SelectionPlace
  selection: Selection
  to: SelectionStatus
  onClose(): void
}) {
  const { place, selection, to, onClose } = props
  const can = useCan()
  const canTry = can('skills:write')
  const name = useSelectionName(selection)
  const [override, setOverride] = useState('')
  const isLate = CHOICES.includes(to) && isPastDeadline(selection, place.today)
  // The text of the reason does not affect the outcome, so typing it does not repeat the dry run.
  const trial = useDryRun(
    'changeSelectionStatus',
    { selectionId: selection.id, status: to, ...(override !== '' && { overrideReason: 'Enter a reason.' }) },
    { enabled: canTry && (!isLate || override !== '') },
  )
  const change = plumbline.useMutation('post', '/api/ext/selections/{selectionId}/status', {
    onSuccess: () => {
      showToast(`${name} ${WORDS[to][1]}`)
      onClose()
    },
  })
  const isTried = canTry && (!isLate || override !== '')
  return (
    <MoveDialog
      title={`${WORDS[to][0]} ${name}?`}
      effect={<Effect {...{ place, selection, to }} priced={trial.data?.result ?? selection} />}
      word={to === 'declined' || to === 'cancelled' ? 'Remove selection' : WORDS[to][0]}
      isDanger={to === 'declined' || to === 'cancelled'}
      reason="optional"
      trial={isTried ? trial : null}
      error={change.error}
      isBlocked={isLate && override === ''}
      isPending={change.isPending}
      onClose={onClose}
      onConfirm={(reason) =>
        change.mutate({
          params: { path: { selectionId: selection.id } },
          body: {
            status: to,
            ...(reason !== undefined && { reason }),
            ...(override !== '' && { overrideReason: override }),
          },
        })
      }
      fields={(isLate || needsOverride(change.error ?? trial.error)) && <OverrideField onChange={setOverride} />}
    />
  )
}

/** Says how a status change affects the price of the home. `priced` has the price that the selection would have. */
function Effect(props: { place: SelectionPlace; selection: Selection; to: SelectionStatus; priced: Selection }) {
  const { place, selection, to, priced } = props
  const { cents } = useFormats()
  const { price } = place.home
  if (to === 'declined') return 'The selection was not approved, so the price of the home stays the same.'
  if (to === 'pending') return 'The selection awaits a decision again. The price of the home stays the same.'
  if (to === 'ordered' || to === 'installed')
    return 'The price of the home stays the same. From now on, the selection can be changed only with a change order.'
  const change = to === 'approved' ? priced.difference : selection.difference === null ? null : -selection.difference
  if (change === null || price === null)
    return to === 'approved'
      ? 'The price is added to the price of the home, and the cost is added to its budget.'
      : 'The selection is removed from the price and the budget of the home. This cannot be undone.'
  const effect = `The price of the home changes from ${cents(price)} to ${cents(price + change)}.`
  return to === 'approved'
    ? `${effect} The cost${priced.cost === null ? '' : ` of ${cents(priced.cost)}`} is added to the home's budget.`
    : `${effect} The cost is removed from the home's budget. This cannot be undone.`
}
