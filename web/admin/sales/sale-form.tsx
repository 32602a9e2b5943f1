import { useState } from 'react'
import { useNavigate } from 'react-router'
import type { Sale, SaleFinancing } from '../../../client/contract.gen.ts'
import { useHomeOptions } from '../../api/home-names.ts'
import { useListPage } from '../../api/list-pages.ts'
import { plumbline } from '../../api/plumbline.ts'
import { useCan } from '../../api/session.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { FieldErrorAt, readNumberField, readTextField, SelectField, TextField } from '../../ui/form.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { humanizeName } from '../../ui/humanize-name.ts'
import { showToast } from '../../ui/toast.tsx'
import { useFormats } from '../../ui/use-formats.ts'
import { RecordField } from '../actions/record-field.tsx'

/** The maximum page size of one request. Fewer homes are for sale at a time. */
const MAX_HOMES = 200
/** The maximum number of buyers of a sale. */
const MAX_BUYERS = 10

const FINANCING_TYPES = [
  ...(['conventional', 'fha', 'va', 'usda', 'jumbo', 'construction', 'cash', 'other'] as const),
] satisfies SaleFinancing['type'][]
const FINANCING_STATUSES = [
  ...(['not_applied', 'applied', 'in_process', 'approved', 'declined'] as const),
] satisfies SaleFinancing['status'][]
const FINANCING_ABBREVIATIONS: readonly string[] = ['fha', 'va', 'usda']

/** Creates a sale of an available home, or edits a sale. An approved sale keeps its prices. */
export function SaleForm({ sale, onClose }: { sale?: Sale; onClose(): void }) {
  const navigate = useNavigate()
  const can = useCan()
  const { today } = useFormats()
  const [salesRepId, setSalesRepId] = useState(sale?.salesRepId ?? '')
  const [buyers, setBuyers] = useState<readonly string[]>(
    () => sale?.buyers.map((_, at) => String(at)) ?? [crypto.randomUUID()],
  )
  const homes = useListPage('/api/ext/homes', { salesStatus: 'available', limit: MAX_HOMES, sort: 'name' })
  const homeOptions = useHomeOptions(homes.data?.data ?? [])
  const create = plumbline.useMutation('post', '/api/ext/sales', {
    onSuccess: ({ id, number }) => {
      showToast(`${number} created and home reserved`)
      void navigate(`/sales/${id}`)
    },
  })
  const update = plumbline.useMutation('patch', '/api/ext/sales/{saleId}', {
    onSuccess: ({ number }) => {
      showToast(`${number} updated`)
      onClose()
    },
  })
  const change = { error: create.error ?? update.error, isPending: create.isPending || update.isPending }
  const isPriceOpen = sale === undefined || sale.status === 'pending'
  return (
    <FormDialog
      title={sale === undefined ? 'New sale' : `Edit ${sale.number}`}
      word={sale === undefined ? 'Create sale' : 'Save'}
      {...(sale === undefined ? { note: 'the home is reserved immediately' } : { of: sale })}
      {...{ change, onClose }}
      onSubmit={(form, ifMatch) => {
        const basePrice = readNumberField(form, 'basePrice')
        const prices = isPriceOpen && {
          ...(basePrice !== undefined && { basePrice }),
          lotPremium: readNumberField(form, 'lotPremium') ?? 0,
          incentives: readNumberField(form, 'incentives') ?? 0,
          discounts: readNumberField(form, 'discounts') ?? 0,
        }
        const body = {
          buyers: buyers.map((key) => ({
            name: readTextField(form, `name-${key}`) ?? '',
            email: readTextField(form, `email-${key}`) ?? null,
            phone: readTextField(form, `phone-${key}`) ?? null,
          })),
          ...prices,
          salesRepId: salesRepId === '' ? null : salesRepId,
          financing: readFinancing(form),
          ...readCommission(form, sale),
          targetCloseDate: readTextField(form, 'targetCloseDate') ?? null,
        }
        if (sale !== undefined) {
          update.mutate({ params: { path: { saleId: sale.id }, header: ifMatch }, body })
          return
        }
        const deposit = readNumberField(form, 'deposit')
        create.mutate({
          body: {
            ...body,
            homeId: readTextField(form, 'homeId') ?? null,
            deposits:
              deposit === undefined ? [] : [{ amount: deposit, dueDate: readTextField(form, 'depositDue') ?? today() }],
          },
        })
      }}
    >
      {sale === undefined && (
        <SelectField
          name="homeId"
          label="Home"
          options={[{ value: '', label: 'Choose one' }, ...homeOptions]}
          hint={homes.data?.data.length === 0 ? 'No home is available.' : 'Only available homes are listed.'}
        />
      )}
      <FieldErrorAt pointer="/buyers" />
      {buyers.map((key, at) => (
        <BuyerFields
          key={key}
          {...{ at, name: key, buyer: sale?.buyers[Number(key)] }}
          {...(buyers.length > 1 && { onRemove: () => setBuyers(buyers.filter((one) => one !== key)) })}
        />
      ))}
      {buyers.length < MAX_BUYERS && (
        <div className="row">
          <Button small icon="plus" onClick={() => setBuyers([...buyers, crypto.randomUUID()])}>
            Add buyer
          </Button>
        </div>
      )}
      {isPriceOpen && (
        <div className="form-row">
          <TextField
            name="basePrice"
            label="Base price"
            optional
            defaultValue={sale?.basePrice ?? ''}
            hint="Defaults to the price of the home."
          />
          <TextField name="lotPremium" label="Lot premium" optional defaultValue={sale?.lotPremium || ''} />
          <TextField name="incentives" label="Incentives" optional defaultValue={sale?.incentives || ''} />
          <TextField name="discounts" label="Discounts" optional defaultValue={sale?.discounts || ''} />
        </div>
      )}
      {sale === undefined && (
        <div className="form-row">
          <TextField name="deposit" label="First deposit" optional pointer="/deposits/0/amount" />
          <TextField
            name="depositDue"
            label="Deposit due"
            type="date"
            defaultValue={today()}
            pointer="/deposits/0/dueDate"
          />
        </div>
      )}
      <div className="form-row">
        <SelectField
          name="financingType"
          label="Financing"
          optional
          pointer="/financing/type"
          defaultValue={sale?.financing?.type ?? ''}
          options={[
            { value: '', label: 'Not known' },
            ...FINANCING_TYPES.map((value) => ({
              value,
              label: FINANCING_ABBREVIATIONS.includes(value) ? value.toUpperCase() : humanizeName(value),
            })),
          ]}
        />
        <SelectField
          name="financingStatus"
          label="Loan status"
          pointer="/financing/status"
          defaultValue={sale?.financing?.status ?? 'not_applied'}
          options={FINANCING_STATUSES.map((value) => ({ value, label: humanizeName(value) }))}
        />
        <TextField
          name="lender"
          label="Lender"
          optional
          pointer="/financing/lender"
          defaultValue={sale?.financing?.lender ?? ''}
        />
      </div>
      <div className="form-row">
        {can('users:read') && (
          <RecordField
            name="salesRepId"
            label="Salesperson"
            optional
            list={{ path: '/api/ext/users', searches: false }}
            value={salesRepId === '' ? [] : [salesRepId]}
            onChange={([id = '']) => setSalesRepId(id)}
          />
        )}
        <TextField
          name="commissionPercent"
          label="Commission in percent"
          optional
          defaultValue={sale?.commissionPercent ?? ''}
          hint={sale?.commissionAmount == null ? undefined : 'Replaces the fixed commission.'}
        />
        <TextField
          name="targetCloseDate"
          label="Target closing date"
          type="date"
          optional
          defaultValue={sale?.targetCloseDate ?? ''}
        />
      </div>
    </FormDialog>
  )
}

function BuyerFields(props: {
  at: number
  /** Distinguishes the controls of the buyers. */
  name: string
  buyer: Sale['buyers'][number] | undefined
  onRemove?(): void
}) {
  const { at, name, buyer, onRemove } = props
  return (
    <fieldset className="bill-line">
      <legend className="sr">Buyer {at + 1}</legend>
      <TextField
        name={`name-${name}`}
        label="Buyer"
        pointer={`/buyers/${at}/name`}
        defaultValue={buyer?.name}
        autoComplete="off"
      />
      <TextField
        name={`email-${name}`}
        label="Email"
        type="email"
        pointer={`/buyers/${at}/email`}
        defaultValue={buyer?.email ?? ''}
      />
      <TextField
        name={`phone-${name}`}
        label="Phone"
        type="tel"
        pointer={`/buyers/${at}/phone`}
        defaultValue={buyer?.phone ?? ''}
      />
      {onRemove !== undefined && (
        <IconButton icon="x" label={`Remove buyer ${at + 1}`} look="quiet" onClick={onRemove} />
      )}
    </fieldset>
  )
}

function readFinancing(form: FormData): SaleFinancing | null {
  const type = FINANCING_TYPES.find((one) => one === form.get('financingType'))
  const status = FINANCING_STATUSES.find((one) => one === form.get('financingStatus'))
  if (type === undefined || status === undefined) return null
  return { type, status, lender: readTextField(form, 'lender') ?? null }
}

/** Returns the commission only if it was changed, because setting a percentage clears a fixed amount. */
function readCommission(form: FormData, sale: Sale | undefined): { commissionPercent?: number | null } {
  const percent = readNumberField(form, 'commissionPercent') ?? null
  return percent === (sale?.commissionPercent ?? null) ? {} : { commissionPercent: percent }
}
