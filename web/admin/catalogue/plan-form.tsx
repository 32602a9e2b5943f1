import { useMemo, useState } from 'react'
import { useNavigate } from 'react-router'
import type { Plan } from '../../../client/contract.gen.ts'
import { plumbline } from '../../api/plumbline.ts'
import { useSession } from '../../api/session.ts'
import { Field, readNumberField, readTextField, TextField } from '../../ui/form.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { showToast } from '../../ui/toast.tsx'
import { RecordChoice } from '../actions/record-choice.tsx'
import { NextRevisionNote } from './next-revision-note.tsx'

const NO_IDS: readonly string[] = []

/** Creates a plan, or changes the fields of a plan other than its figures and elevations. */
export function PlanDialog({ plan, onClose }: { plan: Plan | null; onClose(): void }) {
  const navigate = useNavigate()
  const { currency } = useSession().organization
  const before = plan?.communityIds ?? NO_IDS
  const [communityIds, setCommunityIds] = useState(before)
  const entries = useMemo(
    () => ({
      current: communityIds,
      isChanged: communityIds.join() !== before.join(),
      restore: setCommunityIds,
    }),
    [communityIds, before],
  )
  const create = plumbline.useMutation('post', '/api/ext/plans', {
    onSuccess: ({ id, name }) => {
      showToast(`${name} created`)
      onClose()
      void navigate(`/catalogue/plans/${id}`)
    },
  })
  const update = plumbline.useMutation('patch', '/api/ext/plans/{planId}', {
    onSuccess: ({ name }) => {
      showToast(`${name} changed`)
      onClose()
    },
  })
  return (
    <FormDialog
      title={plan === null ? 'New plan' : `Edit ${plan.name}`}
      word={plan === null ? 'Create plan' : 'Save plan'}
      change={plan === null ? create : update}
      of={plan ?? undefined}
      {...{ onClose, entries }}
      onSubmit={(form, ifMatch) => {
        const body = {
          name: readTextField(form, 'name') ?? '',
          basePrice: readNumberField(form, 'basePrice') ?? null,
          squareFeet: readNumberField(form, 'squareFeet') ?? null,
          stories: readNumberField(form, 'stories') ?? null,
          bedrooms: readNumberField(form, 'bedrooms') ?? null,
          bathrooms: readNumberField(form, 'bathrooms') ?? null,
          garageSpaces: readNumberField(form, 'garageSpaces') ?? null,
          communityIds: [...communityIds],
          externalId: readTextField(form, 'externalId') ?? null,
        }
        if (plan === null) create.mutate({ body: { ...body, code: readTextField(form, 'code') ?? '' } })
        else update.mutate({ params: { path: { planId: plan.id }, header: ifMatch }, body })
      }}
    >
      {plan !== null && <NextRevisionNote plan={plan} fields="the price or a figure" />}
      <div className="form-row">
        {plan === null && <TextField name="code" label="Code" autoFocus placeholder="P2100" />}
        <TextField name="name" label="Name" autoFocus={plan !== null} defaultValue={plan?.name ?? ''} />
      </div>
      <div className="form-row">
        <TextField
          name="basePrice"
          label={`Base price, ${currency}`}
          optional
          defaultValue={plan?.basePrice ?? ''}
          hint="Excludes the elevation, the lot premium, and options."
        />
        <TextField name="squareFeet" label="Heated square feet" optional defaultValue={plan?.squareFeet ?? ''} />
      </div>
      <div className="form-row">
        <TextField name="bedrooms" label="Bedrooms" optional defaultValue={plan?.bedrooms ?? ''} />
        <TextField
          name="bathrooms"
          label="Bathrooms"
          optional
          defaultValue={plan?.bathrooms ?? ''}
          hint="A half bath counts as 0.5."
        />
      </div>
      <div className="form-row">
        <TextField name="garageSpaces" label="Garage spaces" optional defaultValue={plan?.garageSpaces ?? ''} />
        <TextField name="stories" label="Stories" optional defaultValue={plan?.stories ?? ''} />
      </div>
      <Field name="communityIds" label="Communities" optional hint="If empty, every community offers the plan.">
        {(control) => (
          <RecordChoice
            control={control}
            list={{ path: '/api/ext/communities', searches: true }}
            value={communityIds}
            isMultiple
            onChange={setCommunityIds}
          />
        )}
      </Field>
      <TextField
        name="externalId"
        label="External ID"
        optional
        defaultValue={plan?.externalId ?? ''}
        hint="ID of the plan in another system."
      />
    </FormDialog>
  )
}
