import { useDeferredValue, useState } from 'react'
import type { Selection } from '../../../client/contract.gen.ts'
import { parseTypedNumber } from '../../../server/platform/values/typed-number.ts'
import { plumbline } from '../../api/plumbline.ts'
import { useCan } from '../../api/session.ts'
import { useDryRun } from '../../api/use-skill.ts'
import { readNumberField, readTextField, TextField } from '../../ui/form.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { ChangeError } from '../../ui/states.tsx'
import { showToast } from '../../ui/toast.tsx'
import { useFormats } from '../../ui/use-formats.ts'
import { needsOverride, OverrideField } from './override-field.tsx'
import { isPastDeadline, type SelectionPlace } from './selection-lock.ts'
import { useSelectionName } from './selection-name.ts'

/** The entries that affect the price, as the user typed them. */
interface PriceEntries {
  quantity: string
  unitPrice: string
}

/** Changes the quantity, the price, and the finish of a selection, after a preview of the effect on the price. */
export function ChangeSelectionDialog(props: { place: SelectionPlace; selection: Selection; onClose(): void }) {
  const { place, selection, onClose } = props
  const { id, quantity, unitPrice, priceBasis, color, location, deadline, optionId } = selection
  const name = useSelectionName(selection)
  const [typed, setTyped] = useState<PriceEntries>({
    quantity: String(quantity),
    unitPrice: priceBasis === 'given' && unitPrice !== null ? String(unitPrice) : '',
  })
  const [override, setOverride] = useState('')
  const isLate = isPastDeadline(selection, place.today)
  const isOrdered = selection.status === 'ordered' || selection.status === 'installed'
  const change = plumbline.useMutation('patch', '/api/ext/selections/{selectionId}', {
    onSuccess: () => {
      showToast(`${name} changed`)
      onClose()
    },
  })
  const trial = usePriceTrial(selection, useDeferredValue(typed), override !== '', !isLate || override !== '')
  return (
    <FormDialog
      title={`Change ${name}`}
      note={place.home.name}
      word="Save"
      of={selection}
      isDisabled={isLate && override === ''}
      {...{ change, onClose }}
      onSubmit={(form, ifMatch) => {
        const ordered = readNumberField(form, 'quantity')
        const price = readNumberField(form, 'unitPrice')
        change.mutate({
          params: { path: { selectionId: id }, header: ifMatch },
          body: {
            ...(ordered !== undefined && ordered !== quantity && { quantity: ordered }),
            ...(price === undefined
              ? priceBasis === 'given' && optionId !== null && { unitPrice: null }
              : price !== unitPrice && { unitPrice: price }),
            color: readTextField(form, 'color') ?? null,
            location: readTextField(form, 'location') ?? null,
            ...((readTextField(form, 'deadline') ?? null) !== deadline && {
              deadline: readTextField(form, 'deadline') ?? null,
            }),
            ...(override !== '' && { overrideReason: override }),
          },
        })
      }}
    >
      {isOrdered && (
        <p className="muted">
          The selection is ordered. Its quantity and price can be changed only after a change order for it is approved.
        </p>
      )}
      <div
        className="form-row"
        onInput={({ target }) => {
          if (target instanceof HTMLInputElement && target.name in typed)
            setTyped({ ...typed, [target.name]: target.value })
        }}
      >
        <TextField name="quantity" label="Quantity" defaultValue={quantity} />
        <TextField
          name="unitPrice"
          label="Unit price"
          optional={optionId !== null}
          {...(priceBasis === 'given' && unitPrice !== null && { defaultValue: unitPrice })}
          {...(optionId !== null && { hint: 'Defaults to the price of the option.' })}
        />
      </div>
      <div className="form-row">
        <TextField name="color" label="Color or finish" optional defaultValue={color ?? ''} />
        <TextField name="location" label="Location" optional defaultValue={location ?? ''} />
      </div>
      <TextField name="deadline" label="Deadline" type="date" optional defaultValue={deadline ?? ''} />
      {(isLate || needsOverride(change.error ?? trial.error)) && <OverrideField onChange={setOverride} />}
      <PriceEffect place={place} before={selection} after={trial.data?.result} error={trial.error} />
    </FormDialog>
  )
}

/** Tries the typed quantity and unit price. Tries nothing while a number cannot be read. */
function usePriceTrial(selection: Selection, typed: PriceEntries, isOverridden: boolean, isAllowed: boolean) {
  const can = useCan()
  const quantity = parseTypedNumber(typed.quantity)
  const unitPrice = parseTypedNumber(typed.unitPrice)
  const isReadable = quantity.error === null && unitPrice.error === null && quantity.value !== null
  return useDryRun(
    'updateSelection',
    {
      selectionId: selection.id,
      quantity: quantity.value ?? selection.quantity,
      ...(unitPrice.value === null
        ? selection.optionId !== null && { unitPrice: null }
        : { unitPrice: unitPrice.value }),
      // The text of the reason does not affect the outcome, so typing it does not repeat the dry run.
      ...(isOverridden && { overrideReason: 'Enter a reason.' }),
    },
    { enabled: can('skills:write') && isReadable && isAllowed },
  )
}

function PriceEffect(props: {
  place: SelectionPlace
  before: Selection
  after: Selection | undefined
  error: unknown
}) {
  const { place, before, after, error } = props
  const { cents, difference } = useFormats()
  if (error !== null && error !== undefined) return needsOverride(error) ? null : <ChangeError error={error} />
  if (after === undefined) return null
  const { price } = place.home
  const isInPrice = before.status !== 'pending'
  const change = (after.difference ?? 0) - (before.difference ?? 0)
  return (
    <p aria-live="polite">
      {after.price === null ? 'The price is not known, because a part has no price.' : `Price ${cents(after.price)}`}
      {after.price !== null &&
        before.price !== after.price &&
        before.price !== null &&
        ` instead of ${cents(before.price)}`}
      {after.price !== null && '. '}
      {isInPrice && price !== null
        ? change === 0
          ? 'The price of the home stays the same.'
          : `The price of the home changes by ${difference(change)} to ${cents(price + change)}.`
        : 'The price of the home changes once the selection is approved.'}
    </p>
  )
}
