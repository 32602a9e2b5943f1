import { useNavigate } from 'react-router'
import type { Lead } from '../../../client/contract.gen.ts'
import { useHomeOptions } from '../../api/home-names.ts'
import { useListPage } from '../../api/list-pages.ts'
import { plumbline } from '../../api/plumbline.ts'
import { readNumberField, readTextField, SelectField, TextField } from '../../ui/form.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { showToast } from '../../ui/toast.tsx'
import { useFormats } from '../../ui/use-formats.ts'

/** The page size limit of one request. A builder has fewer homes for sale at a time. */
const MAX_HOMES = 200

/** Lets the user convert a lead to a sale, with the home, the price, and the first deposit. */
export function ConvertLead({ lead, name, onClose }: { lead: Lead; name: string; onClose(): void }) {
  const navigate = useNavigate()
  const { today } = useFormats()
  const homes = useListPage('/api/ext/homes', { salesStatus: 'available', limit: MAX_HOMES, sort: 'name' })
  const homeOptions = useHomeOptions(homes.data?.data ?? [])
  const change = plumbline.useMutation('post', '/api/ext/leads/{leadId}/convert', {
    onSuccess: ({ id, number }) => {
      showToast(`${number} created and home reserved`)
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
        const [basePrice, deposit] = [readNumberField(form, 'basePrice'), readNumberField(form, 'deposit')]
        change.mutate({
          params: { path: { leadId: lead.id } },
          body: {
            homeId: readTextField(form, 'homeId') ?? null,
            targetCloseDate: readTextField(form, 'targetCloseDate') ?? null,
            ...{
              lotPremium: readNumberField(form, 'lotPremium') ?? 0,
              incentives: readNumberField(form, 'incentives') ?? 0,
            },
            ...{ discounts: 0, optionIds: [], contingencies: [] },
            deposits:
              deposit === undefined ? [] : [{ amount: deposit, dueDate: readTextField(form, 'depositDue') ?? today() }],
            ...(basePrice !== undefined && { basePrice }),
          },
        })
      }}
    >
      <SelectField
        name="homeId"
        label="Home"
        options={[{ value: '', label: 'Choose one' }, ...homeOptions]}
        hint={homes.data?.data.length === 0 ? 'No home is available.' : 'Only available homes are listed.'}
      />
      <div className="form-row">
        <TextField name="basePrice" label="Base price" optional hint="Defaults to the price of the home." />
        <TextField name="lotPremium" label="Lot premium" optional />
        <TextField name="incentives" label="Incentives" optional />
      </div>
      <div className="form-row">
        <TextField name="deposit" label="First deposit" optional pointer="/deposits/0/amount" />
        <TextField
          name="depositDue"
          label="Deposit due"
          type="date"
          defaultValue={today()}
          pointer="/deposits/0/dueDate"
        />
        <TextField name="targetCloseDate" label="Target closing date" type="date" min={today()} optional />
      </div>
    </FormDialog>
  )
}
