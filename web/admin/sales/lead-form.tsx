import { useState } from 'react'
import { useNavigate } from 'react-router'
import type { Lead, LeadSource } from '../../../client/contract.gen.ts'
import { plumbline } from '../../api/plumbline.ts'
import { useCan } from '../../api/session.ts'
import { readNumberField, readTextField, SelectField, TextField } from '../../ui/form.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { humanizeName } from '../../ui/humanize-name.ts'
import { showToast } from '../../ui/toast.tsx'
import { useFormats } from '../../ui/use-formats.ts'
import { RecordField } from '../actions/record-field.tsx'
import { formatLeadName } from './lead-moves.tsx'

const SOURCES = [
  ...(['website', 'referral', 'phone', 'realtor', 'model_home_visit', 'sign', 'event', 'portal_listing'] as const),
  'other',
] satisfies LeadSource[]

/** Creates or edits a lead. */
export function LeadForm({ lead, onClose }: { lead?: Lead; onClose(): void }) {
  const navigate = useNavigate()
  const can = useCan()
  const { toLocalTime, fromLocalTime } = useFormats()
  const [communityIds, setCommunityIds] = useState<readonly string[]>(lead?.communityIds ?? [])
  const [planIds, setPlanIds] = useState<readonly string[]>(lead?.planIds ?? [])
  const [ownerUserId, setOwnerUserId] = useState(lead?.ownerUserId ?? '')
  const create = plumbline.useMutation('post', '/api/ext/leads', {
    onSuccess: (created) => {
      showToast(`${formatLeadName(created)} added`)
      void navigate(`/sales/leads/${created.id}`)
    },
  })
  const update = plumbline.useMutation('patch', '/api/ext/leads/{leadId}', {
    onSuccess: (updated) => {
      showToast(`${formatLeadName(updated)} updated`)
      onClose()
    },
  })
  const change = { error: create.error ?? update.error, isPending: create.isPending || update.isPending }
  return (
    <FormDialog
      title={lead === undefined ? 'New lead' : `Edit ${formatLeadName(lead)}`}
      word={lead === undefined ? 'Add lead' : 'Save'}
      {...{ change, onClose }}
      {...(lead !== undefined && { of: lead })}
      onSubmit={(form, ifMatch) => {
        const nextActivity = readTextField(form, 'nextActivityAt')
        const body = {
          firstName: readTextField(form, 'firstName') ?? null,
          lastName: readTextField(form, 'lastName') ?? null,
          email: readTextField(form, 'email') ?? null,
          phone: readTextField(form, 'phone') ?? null,
          source: SOURCES.find((source) => source === form.get('source')) ?? ('other' as const),
          budgetMin: readNumberField(form, 'budgetMin') ?? null,
          budgetMax: readNumberField(form, 'budgetMax') ?? null,
          desiredMoveIn: readTextField(form, 'desiredMoveIn') ?? null,
          nextActivityAt: nextActivity === undefined ? null : fromLocalTime(nextActivity),
          ownerUserId: ownerUserId === '' ? null : ownerUserId,
          communityIds: [...communityIds],
          planIds: [...planIds],
        }
        if (lead === undefined) create.mutate({ body })
        else update.mutate({ params: { path: { leadId: lead.id }, header: ifMatch }, body })
      }}
    >
      <div className="form-row">
        <TextField name="firstName" label="First name" optional defaultValue={lead?.firstName ?? ''} autoFocus />
        <TextField name="lastName" label="Last name" optional defaultValue={lead?.lastName ?? ''} />
      </div>
      <div className="form-row">
        <TextField name="email" label="Email" type="email" optional defaultValue={lead?.email ?? ''} />
        <TextField name="phone" label="Phone" type="tel" optional defaultValue={lead?.phone ?? ''} />
      </div>
      <div className="form-row">
        <SelectField
          name="source"
          label="Source"
          defaultValue={lead?.source ?? 'other'}
          options={SOURCES.map((value) => ({ value, label: humanizeName(value) }))}
        />
        {can('users:read') && (
          <RecordField
            name="ownerUserId"
            label="Assigned to"
            optional
            list={{ path: '/api/ext/users', searches: false }}
            value={ownerUserId === '' ? [] : [ownerUserId]}
            onChange={([id = '']) => setOwnerUserId(id)}
          />
        )}
      </div>
      <div className="form-row">
        <TextField name="budgetMin" label="Budget from" optional defaultValue={lead?.budgetMin ?? ''} />
        <TextField name="budgetMax" label="Budget up to" optional defaultValue={lead?.budgetMax ?? ''} />
        <TextField name="desiredMoveIn" label="Move-in" type="date" optional defaultValue={lead?.desiredMoveIn ?? ''} />
      </div>
      <TextField
        name="nextActivityAt"
        label="Next contact"
        type="datetime-local"
        optional
        defaultValue={lead?.nextActivityAt == null ? '' : toLocalTime(lead.nextActivityAt)}
      />
      {can('communities:read') && (
        <RecordField
          name="communityIds"
          label="Communities"
          optional
          list={{ path: '/api/ext/communities', searches: true }}
          value={communityIds}
          isMultiple
          onChange={setCommunityIds}
        />
      )}
      {can('options:read') && (
        <RecordField
          name="planIds"
          label="Plans"
          optional
          list={{ path: '/api/ext/plans', searches: true }}
          value={planIds}
          isMultiple
          onChange={setPlanIds}
        />
      )}
    </FormDialog>
  )
}
