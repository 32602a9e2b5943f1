import { Link } from 'react-router'
import type { CostCode } from '../../../client/contract.gen.ts'
import { plumbline } from '../../api/plumbline.ts'
import { readTextField, SelectField, TextField } from '../../ui/form.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { humanizeName } from '../../ui/humanize-name.ts'
import { showToast } from '../../ui/toast.tsx'
import { flattenCostCodes, listCodesBelow } from './cost-code-tree.ts'
import { TradeField } from './trade-field.tsx'

export const COST_CATEGORIES = ['labor', 'material', 'subcontract', 'equipment', 'other', 'overhead'] as const

/** Creates a cost code below another code, or changes a code and its place in the tree. */
export function CostCodeDialog(props: {
  /** The code to change; null for a new code. */
  code: CostCode | null
  /** The parent of a new code; null at the top level. */
  parent: CostCode | null
  codes: readonly CostCode[]
  onClose(): void
}) {
  const { code, parent, codes, onClose } = props
  const create = plumbline.useMutation('post', '/api/ext/cost-codes', {
    onSuccess: (created) => {
      showToast(`${created.code} created`)
      onClose()
    },
  })
  const update = plumbline.useMutation('patch', '/api/ext/cost-codes/{costCodeId}', {
    onSuccess: (updated) => {
      showToast(`${updated.code} changed`)
      onClose()
    },
  })
  const below = code === null ? new Set<string>() : listCodesBelow(codes, code.id)
  const parents = flattenCostCodes(codes, new Set()).filter(({ code: { id } }) => !below.has(id))
  return (
    <FormDialog
      title={code === null ? 'New cost code' : `Edit ${code.code}`}
      {...(parent !== null && { note: `below ${parent.code}, ${parent.name}` })}
      word={code === null ? 'Create cost code' : 'Save cost code'}
      change={code === null ? create : update}
      of={code ?? undefined}
      aside={code !== null && <Link to={`/actions/archiveCostCode?costCodeId=${code.id}`}>Archive</Link>}
      onClose={onClose}
      onSubmit={(form, ifMatch) => {
        const body = {
          code: readTextField(form, 'code') ?? '',
          name: readTextField(form, 'name') ?? '',
          parentId: readTextField(form, 'parentId') ?? null,
          category: COST_CATEGORIES.find((one) => one === readTextField(form, 'category')) ?? 'other',
          scope: readTextField(form, 'scope') ?? null,
          accountingId: readTextField(form, 'accountingId') ?? null,
        }
        if (code === null) create.mutate({ body })
        else update.mutate({ params: { path: { costCodeId: code.id }, header: ifMatch }, body })
      }}
    >
      <div className="form-row">
        <TextField name="code" label="Code" autoFocus defaultValue={code?.code ?? ''} placeholder="06-110" />
        <TextField name="name" label="Name" defaultValue={code?.name ?? ''} placeholder="Framing lumber" />
      </div>
      <SelectField
        name="parentId"
        label="Parent"
        defaultValue={code === null ? (parent?.id ?? '') : (code.parentId ?? '')}
        options={[
          { value: '', label: 'Top level' },
          ...parents.map(({ code: { id, code: text, name }, depth }) => ({
            value: id,
            label: `${'\u2003'.repeat(depth)}${text} ${name}`,
          })),
        ]}
      />
      <div className="form-row">
        <SelectField
          name="category"
          label="Category"
          defaultValue={code?.category ?? parent?.category ?? 'material'}
          options={COST_CATEGORIES.map((value) => ({ value, label: humanizeName(value) }))}
        />
        <TradeField trade={code?.scope ?? parent?.scope ?? null} />
      </div>
      <TextField name="accountingId" label="Account in accounting" optional defaultValue={code?.accountingId ?? ''} />
    </FormDialog>
  )
}
