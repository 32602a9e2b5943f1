import { useState } from 'react'
import type { WarrantyDecision, WarrantyRequest } from '../../../client/contract.gen.ts'
import { useReadSkill, useSkill } from '../../api/use-skill.ts'
import { readTextField, readTextFields, SelectField, TextAreaField, TextField } from '../../ui/form.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { humanizeName } from '../../ui/humanize-name.ts'
import { showToast } from '../../ui/toast.tsx'
import { useFormats } from '../../ui/use-formats.ts'

const SEVERITIES = ['routine', 'urgent', 'emergency'] as const
const SOURCES = ['phone', 'email', 'walkthrough'] as const
const WINDOWS = [
  { value: 'any', label: 'Any time' },
  { value: 'am', label: 'Morning' },
  { value: 'pm', label: 'Afternoon' },
] as const

/** Lets the user record a problem that an owner reported by phone or email. The home can be entered by name. */
export function RequestForm({ onClose }: { onClose(): void }) {
  const create = useSkill('createWarrantyRequest', {
    onSuccess: ({ result }) => {
      showToast(`${result.number} added`)
      onClose()
    },
  })
  return (
    <FormDialog
      title="Add warranty request"
      size="narrow"
      word="Add request"
      change={create}
      onClose={onClose}
      onSubmit={(form) =>
        create.run({
          ...{ homeId: readTextField(form, 'homeId') ?? '', description: readTextField(form, 'description') ?? '' },
          ...readTextFields(form, 'location', 'scope', 'reportedBy'),
          severity: SEVERITIES.find((one) => one === form.get('severity')) ?? 'routine',
          source: SOURCES.find((one) => one === form.get('source')) ?? 'phone',
        })
      }
    >
      <TextField name="homeId" label="Home" hint="For example, Lot 15, Juniper Ridge." autoFocus />
      <TextAreaField name="description" label="What is wrong?" />
      <TextField name="location" label="Room" optional />
      <TextField name="scope" label="Trade" optional />
      <SelectField name="severity" label="Severity" options={toOptions(SEVERITIES)} />
      <SelectField name="source" label="Reported by" options={toOptions(SOURCES)} />
      <TextField name="reportedBy" label="Owner's name" optional />
    </FormDialog>
  )
}

function toOptions(values: readonly string[]): { value: string; label: string }[] {
  return values.map((value) => ({ value, label: humanizeName(value) }))
}

const DECISIONS: readonly { value: WarrantyDecision; label: string }[] = [
  { value: 'covered', label: 'Covered by the warranty' },
  { value: 'goodwill', label: 'Goodwill repair, not covered' },
  { value: 'not_covered', label: 'Not covered' },
]

/** Lets the user decide on a warranty request and send a vendor. First shows a suggestion and its reasons. */
export function DispatchForm({ request, onClose }: { request: WarrantyRequest; onClose(): void }) {
  const { today } = useFormats()
  const { id: warrantyRequestId, number, status } = request
  const triage = useReadSkill('triageWarrantyRequest', { warrantyRequestId })
  const suggested = triage.data?.result
  const [chosen, setChosen] = useState<WarrantyDecision | null>(request.decision)
  const decision = chosen ?? suggested?.suggestedDecision ?? 'covered'
  const dispatch = useSkill('dispatchWarrantyRequest', {
    onSuccess: ({ result }) => {
      showToast(`${result.request.number}: ${humanizeName(result.request.status).toLowerCase()}`)
      onClose()
    },
  })
  const isNew = status === 'new' || status === 'not_covered'
  return (
    <FormDialog
      title={`${number}: ${request.description.slice(0, 80)}`}
      note={suggested === undefined ? 'Checking coverage…' : suggested.reasons.join(' ')}
      word={decision === 'not_covered' ? 'Decline request' : 'Send vendor'}
      change={dispatch}
      onClose={onClose}
      onSubmit={(form) => {
        const [reason, vendorId, date] = [
          readTextField(form, 'reason'),
          readTextField(form, 'vendorId'),
          readTextField(form, 'date'),
        ]
        const [window, notes] = [readTextField(form, 'window'), readTextField(form, 'notes')]
        dispatch.run({
          ...{ warrantyRequestId, decision },
          ...(reason !== undefined && { reason }),
          ...(decision !== 'not_covered' && {
            ...(vendorId !== undefined && { vendorId }),
            ...(date !== undefined && { date }),
            ...(notes !== undefined && { notes }),
            window: WINDOWS.find(({ value }) => value === window)?.value ?? 'any',
          }),
        })
      }}
    >
      {isNew && (
        <SelectField
          name="decision"
          label="Decision"
          value={decision}
          onChange={(value) => setChosen(value as WarrantyDecision)}
          options={DECISIONS}
        />
      )}
      {isNew && (
        <TextAreaField
          name="reason"
          label="Reason for the decision, shown to the owner"
          optional={decision !== 'not_covered'}
          rows={2}
        />
      )}
      {decision !== 'not_covered' && (
        <>
          <TextField
            name="vendorId"
            label="Vendor"
            optional
            placeholder={suggested?.builtBy[0]?.vendor ?? ''}
            hint="Enter the company name. Leave empty to send the vendor that had the order for the trade."
          />
          <TextField name="date" label="Date of the visit" type="date" optional min={today()} />
          <SelectField name="window" label="Time of day" options={WINDOWS} />
          <TextField name="notes" label="Notes for the vendor" optional />
        </>
      )}
    </FormDialog>
  )
}
