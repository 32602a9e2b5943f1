import { useMemo, useState } from 'react'
import { useNavigate } from 'react-router'
import type { Part } from '../../../client/contract.gen.ts'
import { useListPage } from '../../api/list-pages.ts'
import { plumbline } from '../../api/plumbline.ts'
import { Field, readNumberField, readTextField, SelectField, TextField } from '../../ui/form.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { humanizeName } from '../../ui/humanize-name.ts'
import { showToast } from '../../ui/toast.tsx'
import { RecordChoice } from '../actions/record-choice.tsx'

/** The page size limit of one request. A builder has fewer trades. */
const MAX_SCOPES = 200

/** Creates a part, or changes it. */
export function PartDialog({ part, onClose }: { part: Part | null; onClose(): void }) {
  const navigate = useNavigate()
  const [costCodeId, setCostCodeId] = useState(part?.costCodeId ?? '')
  const entries = useMemo(
    () => ({ current: costCodeId, isChanged: costCodeId !== (part?.costCodeId ?? ''), restore: setCostCodeId }),
    [costCodeId, part],
  )
  const scopes = useListPage('/api/ext/scopes', { limit: MAX_SCOPES, sort: 'sequence' })
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
        <SelectField
          // The options arrive later, and would otherwise not contain the trade of the part.
          key={scopes.data === undefined ? 'loading' : 'loaded'}
          name="scope"
          label="Trade"
          optional
          defaultValue={part?.scope ?? ''}
          options={[
            { value: '', label: 'None' },
            ...(scopes.data?.data ?? []).map(({ name }) => ({ value: name, label: humanizeName(name) })),
          ]}
        />
        <Field
          name="costCodeId"
          label="Cost code"
          optional
          {...(part === null && { hint: 'Defaults to the cost code of the trade.' })}
        >
          {(control) => (
            <RecordChoice
              control={control}
              list={{ path: '/api/ext/cost-codes', searches: true }}
              value={costCodeId === '' ? [] : [costCodeId]}
              isMultiple={false}
              onChange={([id = '']) => setCostCodeId(id)}
            />
          )}
        </Field>
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
