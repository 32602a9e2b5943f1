import type { ReactNode } from 'react'
import type { PurchaseOrderLine, PurchaseOrderLineInput } from '../../../client/contract.gen.ts'
import { computeLineTotal, computePercentAmount, sum } from '../../../server/platform/values/money.ts'
import { parseTypedNumber } from '../../../server/platform/values/typed-number.ts'
import { IconButton } from '../../ui/button.tsx'
import { readNumberField, readTextField, TextField } from '../../ui/form.tsx'

/** A line of an order in a form. */
export interface OrderLineDraft {
  readonly key: string
  readonly initial: {
    readonly description: string
    readonly quantity: number | ''
    readonly unit: string
    readonly unitPrice: number | ''
    readonly taxPercent: number
  }
  readonly hint?: ReactNode
  /** The fields of the line that the form does not show. */
  readonly kept: Pick<PurchaseOrderLineInput, 'lineId' | 'budgetLineId' | 'costCodeId' | 'partId' | 'retainagePercent'>
}

/** Returns an empty line for one lump sum. */
export function createOrderLine(key: string): OrderLineDraft {
  return { key, initial: { description: '', quantity: 1, unit: 'LS', unitPrice: '', taxPercent: 0 }, kept: {} }
}

/** Returns a stored line for the form. `sign` is -1 if the form shows the amounts that a vendor owes as positive. */
export function toOrderLineDraft(line: PurchaseOrderLine, sign: 1 | -1): OrderLineDraft {
  const { lineId, description, quantity, unit, unitPrice, taxPercent } = line
  const { budgetLineId, costCodeId, partId, retainagePercent } = line
  return {
    key: lineId,
    initial: { description, quantity, unit, unitPrice: unitPrice === 0 ? 0 : unitPrice * sign, taxPercent },
    kept: { lineId, budgetLineId, costCodeId, partId, retainagePercent },
  }
}

/** Returns the line to send. */
export function readOrderLine(form: FormData, { key, initial, kept }: OrderLineDraft, sign: 1 | -1 = 1) {
  const unitPrice = readNumberField(form, `price-${key}`)
  const unit = readTextField(form, `unit-${key}`)
  return {
    ...kept,
    description: readTextField(form, `what-${key}`) ?? '',
    quantity: readNumberField(form, `quantity-${key}`) ?? 0,
    ...(unit !== undefined && { unit }),
    ...(unitPrice !== undefined && { unitPrice: unitPrice === 0 ? 0 : unitPrice * sign }),
    taxPercent: readNumberField(form, `tax-${key}`) ?? initial.taxPercent,
  }
}

/** Returns the total of the lines with tax, rounded as the service rounds it. An incomplete number counts as 0. */
export function sumOrderLines(form: FormData, lines: readonly OrderLineDraft[], currency: string): number {
  const read = (name: string) => parseTypedNumber(String(form.get(name) ?? '')).value ?? 0
  const amounts = lines.flatMap(({ key, initial }) => {
    const total = computeLineTotal(read(`quantity-${key}`), read(`price-${key}`), currency)
    const taxPercent = form.has(`tax-${key}`) ? read(`tax-${key}`) : initial.taxPercent
    return [total, computePercentAmount(total, taxPercent, currency)]
  })
  return sum(amounts)
}

/** The fields of one line of an order. */
export function OrderLineFields(props: { line: OrderLineDraft; at: number; withTax?: boolean; onRemove(): void }) {
  const { line, at, withTax = false, onRemove } = props
  const { key, initial, hint } = line
  return (
    <fieldset className={withTax ? 'line-row priced taxed' : 'line-row priced'}>
      <legend className="sr">Line {at + 1}</legend>
      <TextField
        name={`what-${key}`}
        label="Description"
        pointer={`/lines/${at}/description`}
        defaultValue={initial.description}
        hint={hint}
      />
      <TextField
        name={`quantity-${key}`}
        label="Quantity"
        pointer={`/lines/${at}/quantity`}
        defaultValue={initial.quantity}
      />
      <TextField name={`unit-${key}`} label="Unit" pointer={`/lines/${at}/unit`} defaultValue={initial.unit} />
      <TextField
        name={`price-${key}`}
        label="Unit price"
        pointer={`/lines/${at}/unitPrice`}
        defaultValue={initial.unitPrice}
      />
      {withTax && (
        <TextField
          name={`tax-${key}`}
          label="Tax %"
          pointer={`/lines/${at}/taxPercent`}
          defaultValue={initial.taxPercent === 0 ? '' : initial.taxPercent}
        />
      )}
      <IconButton icon="x" label={`Remove line ${at + 1}`} look="quiet" onClick={onRemove} />
    </fieldset>
  )
}
