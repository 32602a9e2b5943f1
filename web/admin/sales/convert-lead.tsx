import { useNavigate } from 'react-router'
import type { Lead } from '../../../client/contract.gen.ts'
import { usePage } from '../../api/pages.ts'
import { plumbline } from '../../api/plumbline.ts'
import { SelectField, TextField, typed, typedNumber } from '../../ui/form.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { useFormats } from '../../ui/organization.ts'
import { say } from '../../ui/toast.tsx'

/** The page size limit of one request, and more homes than are for sale at a time. */
const MOST_HOMES = 200

/** Converts a lead to a sale: the home, the price, and the first deposit. */
export function ConvertLead({ lead, name, onClose }: { lead: Lead; name: string; onClose(): void }) {
  const navigate = useNavigate()
  const { today } = useFormats()
  const homes = usePage('/api/ext/homes', { salesStatus: 'available', limit: MOST_HOMES, sort: 'name' })
  const change = plumbline.useMutation('post', '/api/ext/leads/{leadId}/convert', {
    onSuccess: ({ id, number }) => {
      say(`${number} created and home reserved`)
      void navigate(`/sales/${id}`)
    },
  })
  return (
    <FormDialog
      title={`Create a sale for ${name}`}
      note="the home is reserved immediately"
      word="Create sale"
      {...{ change, onClose }}
      onSubmit={(form) => {
        const [basePrice, deposit] = [typedNumber(form, 'basePrice'), typedNumber(form, 'deposit')]
        change.mutate({
          params: { path: { leadId: lead.id } },
          body: {
            homeId: typed(form, 'homeId') ?? null,
            targetCloseDate: typed(form, 'targetCloseDate') ?? null,
            ...{ lotPremium: typedNumber(form, 'lotPremium') ?? 0, incentives: typedNumber(form, 'incentives') ?? 0 },
            ...{ discounts: 0, optionIds: [], contingencies: [] },
            deposits: deposit === undefined ? [] : [{ amount: deposit, dueDate: typed(form, 'depositDue') ?? today() }],
            ...(basePrice !== undefined && { basePrice }),
          },
        })
      }}
    >
      <SelectField
        name="homeId"
        label="Home"
        options={[
          { value: '', label: 'Choose one' },
          ...(homes.data?.data ?? []).map((home) => ({ value: home.id, label: home.name })),
        ]}
        hint={homes.data?.data.length === 0 ? 'No home is available.' : 'Only available homes are listed.'}
      />
      <div className="form-row">
        <TextField name="basePrice" label="Base price" optional hint="Defaults to the price of the home." />
        <TextField name="lotPremium" label="Lot premium" optional />
        <TextField name="incentives" label="Incentives" optional />
      </div>
      <div className="form-row">
        <TextField name="deposit" label="First deposit" optional pointer="/deposits/0/amount" />
        <TextField name="depositDue" label="Due" type="date" defaultValue={today()} pointer="/deposits/0/dueDate" />
        <TextField name="targetCloseDate" label="Closing" type="date" min={today()} optional />
      </div>
    </FormDialog>
  )
}
