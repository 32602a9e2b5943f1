import { useMemo, useState } from 'react'
import { useNavigate } from 'react-router'
import type { Part } from '../../../client/contract.gen.ts'
import { plumbline } from '../../api/plumbline.ts'
import { readNumberField, readTextField, TextField } from '../../ui/form.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { showToast } from '../../ui/toast.tsx'
import { CostCodeField } from '../actions/cost-code-field.tsx'
import { TradeField } from './trade-field.tsx'

/** Creates a part, or changes it. */
export function PartDialog({ part, onClose }: { part: Part | null; onClose(): void }) {
  const navigate = useNavigate()
  const [costCodeId, setCostCodeId] = useState(part?.costCodeId ?? '')
  const entries = useMemo(
    () => ({ current: costCodeId, isChanged: costCodeId !== (part?.costCodeId ?? ''), restore: setCostCodeId }),
    [costCodeId, part],
  )
  const create = plumbline.useMutation('post', '/api/ext/parts', {
    onSuccess: ({ id, name }) => {
      showToast(`${name} created`)
      onClose()
      void navigate(`/catalogue/parts/${id}`)
    },
  })
  const update = plumbline.useMutation('patch', '/api/ext/parts/{partId}', {
    onSuccess: ({ name }) => {
      showToast(`${name} changed`)
      onClose()
    },
  })
  return (
    <FormDialog
      title={part === null ? 'New part' : `Edit ${part.name}`}
      word={part === null ? 'Create part' : 'Save part'}
      change={part === null ? create : update}
      of={part ?? undefined}
      {...{ onClose, entries }}
      onSubmit={(form, ifMatch) => {
        const body = {
          sku: readTextField(form, 'sku') ?? '',
          name: readTextField(form, 'name') ?? '',
          unit: readTextField(form, 'unit')?.toUpperCase() ?? '',
          scope: readTextField(form, 'scope') ?? null,
          // A new part gets the cost code of its trade.
          ...(costCodeId !== '' ? { costCodeId } : part !== null && { costCodeId: null }),
          manufacturer: readTextField(form, 'manufacturer') ?? null,
          leadTimeDays: readNumberField(form, 'leadTimeDays') ?? null,
          description: readTextField(form, 'description') ?? null,
        }
        if (part === null) create.mutate({ body })
        else update.mutate({ params: { path: { partId: part.id }, header: ifMatch }, body })
      }}
    >
      <div className="form-row">
        <TextField name="sku" label="SKU" autoFocus defaultValue={part?.sku ?? ''} />
        <TextField
          name="unit"
          label="Unit"
          defaultValue={part?.unit ?? ''}
          placeholder="EA"
          {...(part !== null && { hint: 'Cannot change once the part has prices.' })}
        />
      </div>
      <TextField name="name" label="Name" defaultValue={part?.name ?? ''} />
      <div className="form-row">
        <TradeField trade={part?.scope ?? null} />
        <CostCodeField
          {...(part === null && { hint: 'Defaults to the cost code of the trade.' })}
          value={costCodeId}
          onChange={setCostCodeId}
        />
      </div>
      <div className="form-row">
        <TextField name="manufacturer" label="Manufacturer" optional defaultValue={part?.manufacturer ?? ''} />
        <TextField
          name="leadTimeDays"
          label="Lead time in workdays"
          optional
          {...(part !== null && part.leadTimeDays !== null && { defaultValue: part.leadTimeDays })}
        />
      </div>
      <TextField name="description" label="Description" optional defaultValue={part?.description ?? ''} />
    </FormDialog>
  )
}
