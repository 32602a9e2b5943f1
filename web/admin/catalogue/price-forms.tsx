import { useMemo, useState } from 'react'
import type { Part, Price } from '../../../client/contract.gen.ts'
import { useListPage } from '../../api/list-pages.ts'
import { plumbline } from '../../api/plumbline.ts'
import { useSession } from '../../api/session.ts'
import { readNumberField, readTextField, SelectField, TextField } from '../../ui/form.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { formatUnitPrice } from '../../ui/number-formats.ts'
import { showToast } from '../../ui/toast.tsx'
import { useFormats } from '../../ui/use-formats.ts'
import { VendorField } from '../actions/vendor-field.tsx'

/** The page size limit of one request. A builder has fewer communities. */
const MAX_COMMUNITIES = 200

/** Adds a vendor's price for a part from a date. The previous price of the vendor ends on the day before. */
export function AddPriceDialog({ part, onClose }: { part: Part; onClose(): void }) {
  const { currency } = useSession().organization
  const { today } = useFormats()
  const [vendorId, setVendorId] = useState('')
  const entries = useMemo(() => ({ current: vendorId, isChanged: vendorId !== '', restore: setVendorId }), [vendorId])
  const communities = useListPage('/api/ext/communities', { limit: MAX_COMMUNITIES, sort: 'name' })
  const change = plumbline.useMutation('post', '/api/ext/parts/{partId}/prices', {
    onSuccess: ({ unitPrice }) => {
      showToast(`Price of ${part.name} added, ${formatUnitPrice(unitPrice)} for each ${part.unit}`)
      onClose()
    },
  })
  return (
    <FormDialog
      title="Add price"
      note={`${part.name}, for each ${part.unit}`}
      word="Add price"
      {...{ change, onClose, entries }}
      onSubmit={(form) => {
        const expirationDate = readTextField(form, 'expirationDate')
        const minQuantity = readNumberField(form, 'minQuantity')
        const communityId = readTextField(form, 'communityId')
        const note = readTextField(form, 'note')
        change.mutate({
          params: { path: { partId: part.id } },
          body: {
            vendorId,
            unitPrice: readNumberField(form, 'unitPrice') ?? 0,
            effectiveDate: readTextField(form, 'effectiveDate') ?? '',
            ...(expirationDate !== undefined && { expirationDate }),
            ...(minQuantity !== undefined && { minQuantity }),
            ...(communityId !== undefined && { communityId }),
            ...(note !== undefined && { note }),
            preferred: form.get('preferred') !== null,
            endPrevious: form.get('endPrevious') !== null,
          },
        })
      }}
    >
      <VendorField value={vendorId} onChange={setVendorId} />
      <div className="form-row">
        <TextField name="unitPrice" label={`Price for each ${part.unit}, ${currency}`} placeholder="3.42" />
        <TextField
          name="minQuantity"
          label="From quantity"
          optional
          hint="Only for orders of at least this quantity."
        />
      </div>
      <div className="form-row">
        <TextField name="effectiveDate" label="Valid from" type="date" defaultValue={today()} />
        <TextField name="expirationDate" label="Valid until" type="date" optional />
      </div>
      <SelectField
        name="communityId"
        label="Community"
        optional
        options={[
          { value: '', label: 'Every community' },
          ...(communities.data?.data ?? []).map(({ id, name }) => ({ value: id, label: name })),
        ]}
      />
      <TextField name="note" label="Note" optional />
      <label className="check">
        <input type="checkbox" name="endPrevious" defaultChecked />
        <span>
          End the previous price
          <span className="hint"> The vendor's price for the same place ends the day before.</span>
        </span>
      </label>
      <label className="check">
        <input type="checkbox" name="preferred" />
        <span>
          Preferred<span className="hint"> Takes precedence over lower prices.</span>
        </span>
      </label>
    </FormDialog>
  )
}

/** Sets the last day of a price, or clears it. */
export function EndPriceDialog({ price, vendor, onClose }: { price: Price; vendor: string; onClose(): void }) {
  const { today, day } = useFormats()
  const change = plumbline.useMutation('patch', '/api/ext/prices/{priceId}', {
    onSuccess: ({ expirationDate }) => {
      showToast(expirationDate === null ? 'Price has no end date' : `Price ends on ${day(expirationDate)}`)
      onClose()
    },
  })
  return (
    <FormDialog
      title="End price"
      note={`${formatUnitPrice(price.unitPrice)} of ${vendor}`}
      size="narrow"
      word="Save end date"
      of={price}
      {...{ change, onClose }}
      onSubmit={(form, ifMatch) =>
        change.mutate({
          params: { path: { priceId: price.id }, header: ifMatch },
          body: { expirationDate: readTextField(form, 'expirationDate') ?? null },
        })
      }
    >
      <TextField
        name="expirationDate"
        label="Last day"
        type="date"
        defaultValue={price.expirationDate ?? today()}
        hint="Orders keep the price they were created with. If empty, the price has no end."
      />
    </FormDialog>
  )
}
