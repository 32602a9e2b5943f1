import { useNavigate } from 'react-router'
import type { Lead } from '../../../client/contract.gen.ts'
import { usePage } from '../../api/list-pages.ts'
import { plumbline } from '../../api/plumbline.ts'
import { readNumber, readText, SelectField, TextField } from '../../ui/form.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { showToast } from '../../ui/toast.tsx'
import { useFormats } from '../../ui/use-formats.ts'

/** The page size limit of one request, and more homes than are for sale at a time. */
const MAX_HOMES = 200

/** Converts a lead to a sale: the home, the price, and the first deposit. */
export function ConvertLead({ lead, name, onClose }: { lead: Lead; name: string; onClose(): void }) {
  const navigate = useNavigate()
  const { today } = useFormats()
  const homes = usePage('/api/ext/homes', { salesStatus: 'available', limit: MAX_HOMES, sort: 'name' })
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
        const [basePrice, deposit] = [readNumber(form, 'basePrice'), readNumber(form, 'deposit')]
        change.mutate({
          params: { path: { leadId: lead.id } },
          body: {
            homeId: readText(form, 'homeId') ?? null,
            targetCloseDate: readText(form, 'targetCloseDate') ?? null,
            ...{ lotPremium: readNumber(form, 'lotPremium') ?? 0, incentives: readNumber(form, 'incentives') ?? 0 },
            ...{ discounts: 0, optionIds: [], contingencies: [] },
            deposits:
              deposit === undefined ? [] : [{ amount: deposit, dueDate: readText(form, 'depositDue') ?? today() }],
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
