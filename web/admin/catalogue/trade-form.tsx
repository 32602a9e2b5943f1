import { useMemo, useState } from 'react'
import { Link } from 'react-router'
import type { Scope } from '../../../client/contract.gen.ts'
import { plumbline } from '../../api/plumbline.ts'
import { useCan } from '../../api/session.ts'
import { readNumberField, readTextField, TextField } from '../../ui/form.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { humanizeName } from '../../ui/humanize-name.ts'
import { showToast } from '../../ui/toast.tsx'
import { CostCodeField } from '../actions/cost-code-field.tsx'

/** Creates a trade, or changes it. */
export function TradeDialog(props: {
  /** The trade to change; null for a new trade. */
  trade: Scope | null
  /** The position in the construction sequence that a new trade gets unless the user changes it. */
  nextSequence: number
  onClose(): void
}) {
  const { trade, nextSequence, onClose } = props
  const can = useCan()
  // The list may show an older version of the trade, after another user has changed it.
  const current = plumbline.useQuery(
    'get',
    '/api/ext/scopes/{scopeId}',
    { params: { path: { scopeId: trade?.id ?? '' } } },
    { enabled: trade !== null },
  )
  const [costCodeId, setCostCodeId] = useState(trade?.defaultCostCodeId ?? '')
  const entries = useMemo(
    () => ({
      ...{ current: costCodeId, isChanged: costCodeId !== (trade?.defaultCostCodeId ?? '') },
      restore: setCostCodeId,
    }),
    [costCodeId, trade],
  )
  const create = plumbline.useMutation('post', '/api/ext/scopes', {
    onSuccess: ({ name }) => {
      showToast(`${humanizeName(name)} created`)
      onClose()
    },
  })
  const update = plumbline.useMutation('patch', '/api/ext/scopes/{scopeId}', {
    onSuccess: ({ name }) => {
      showToast(`${humanizeName(name)} changed`)
      onClose()
    },
  })
  return (
    <FormDialog
      title={trade === null ? 'New trade' : `Edit ${humanizeName(trade.name).toLowerCase()}`}
      word={trade === null ? 'Create trade' : 'Save trade'}
      change={trade === null ? create : update}
      of={trade === null ? undefined : (current.data ?? trade)}
      aside={trade !== null && <Link to={`/actions/archiveScope?scopeId=${trade.id}`}>Archive</Link>}
      {...{ onClose, entries }}
      onSubmit={(form, ifMatch) => {
        const body = {
          name: readTextField(form, 'name') ?? '',
          spanishName: readTextField(form, 'spanishName') ?? null,
          code: readTextField(form, 'code') ?? null,
          sequence: readNumberField(form, 'sequence') ?? 0,
          defaultCostCodeId: costCodeId === '' ? null : costCodeId,
        }
        if (trade === null) create.mutate({ body })
        else update.mutate({ params: { path: { scopeId: trade.id }, header: ifMatch }, body })
      }}
    >
      <div className="form-row">
        <TextField
          name="name"
          label="Name"
          autoFocus
          defaultValue={trade?.name ?? ''}
          placeholder="framing"
          {...(trade !== null && { hint: 'Cannot be changed while records use the trade.' })}
        />
        <TextField
          name="spanishName"
          label="Spanish name"
          optional
          defaultValue={trade?.spanishName ?? ''}
          hint="Shown in the portal to vendors who read Spanish."
        />
      </div>
      <div className="form-row">
        <TextField
          name="sequence"
          label="Position"
          defaultValue={trade?.sequence ?? nextSequence}
          hint="Trades are listed by position. Use the order of construction."
        />
        <TextField name="code" label="Code" optional defaultValue={trade?.code ?? ''} placeholder="06-100" />
      </div>
      {can('budgets:read') && (
        <CostCodeField
          name="defaultCostCodeId"
          hint="Used for records of the trade that have no cost code of their own."
          value={costCodeId}
          onChange={setCostCodeId}
        />
      )}
    </FormDialog>
  )
}
