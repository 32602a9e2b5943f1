import { useState } from 'react'
import type { Sale, SaleContingency, SaleContingencyStatus, SaleContingencyType } from '../../../client/contract.gen.ts'
import { useMay } from '../../api/caller.ts'
import { plumbline } from '../../api/plumbline.ts'
import { inWords } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { SelectField, TextField, typed } from '../../ui/form.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { useFormats } from '../../ui/organization.ts'
import { Panel } from '../../ui/panel.tsx'
import { type Column, None, Table } from '../../ui/table.tsx'
import { say } from '../../ui/toast.tsx'

const TYPES = {
  financing: 'Financing',
  appraisal: 'Appraisal',
  inspection: 'Inspection',
  home_sale: 'Sale of current home',
  other: 'Other',
} satisfies Record<SaleContingencyType, string>

const ENDS = {
  cleared: 'Cleared',
  waived: 'Waived',
  failed: 'Failed',
} satisfies Record<Exclude<SaleContingencyStatus, 'open'>, string>

/** Lists the contingencies of a sale and their outcomes. */
export function Contingencies({ sale }: { sale: Sale }) {
  const may = useMay()
  const { day } = useFormats()
  const [open, setOpen] = useState<SaleContingency | 'new' | null>(null)
  const canWrite = may('sales:write') && sale.status !== 'cancelled'
  const columns: readonly Column<SaleContingency>[] = [
    { head: 'Contingency', cell: ({ type }) => inWords(type) },
    {
      head: 'Status',
      cell: ({ status }) => (status === 'failed' ? <span className="tone-bad">Failed</span> : inWords(status)),
    },
    { head: 'Due', cell: ({ dueDate }) => (dueDate === null ? <None word="no date" /> : day(dueDate)) },
    { head: 'Note', cell: ({ notes }) => notes ?? <None /> },
    ...(canWrite
      ? [
          {
            head: 'Actions',
            className: 'num',
            cell: (contingency: SaleContingency) =>
              contingency.status === 'open' || contingency.status === 'failed' ? (
                <Button small onClick={() => setOpen(contingency)}>
                  Record<span className="sr"> {contingency.contingencyId}</span>
                </Button>
              ) : (
                <None word="settled" />
              ),
          },
        ]
      : []),
  ]
  return (
    <Panel
      title="Contingencies"
      isFlush
      actions={
        canWrite && (
          <Button small icon="plus" onClick={() => setOpen('new')}>
            Add contingency
          </Button>
        )
      }
    >
      {sale.contingencies.length === 0 ? (
        <p className="muted">No contingencies.</p>
      ) : (
        <div className="table-wrap">
          <Table
            caption="Contingencies"
            columns={columns}
            rows={sale.contingencies}
            keyOf={({ contingencyId }) => contingencyId}
          />
        </div>
      )}
      {open === 'new' && <NewContingency sale={sale} onClose={() => setOpen(null)} />}
      {open !== null && open !== 'new' && (
        <ContingencyMove sale={sale} contingency={open} onClose={() => setOpen(null)} />
      )}
    </Panel>
  )
}

function NewContingency({ sale, onClose }: { sale: Sale; onClose(): void }) {
  const { today } = useFormats()
  const change = plumbline.useMutation('post', '/api/ext/sales/{saleId}/contingencies', {
    onSuccess: ({ number }) => {
      say(`Contingency added to ${number}`)
      onClose()
    },
  })
  return (
    <FormDialog
      title="New contingency"
      note={sale.number}
      size="narrow"
      word="Add contingency"
      {...{ change, onClose }}
      onSubmit={(form) =>
        change.mutate({
          params: { path: { saleId: sale.id } },
          body: {
            ...{ status: 'open', type: form.get('type') as SaleContingencyType },
            ...{ dueDate: typed(form, 'dueDate') ?? null, notes: typed(form, 'notes') ?? null },
          },
        })
      }
    >
      <div className="form-row">
        <SelectField
          name="type"
          label="Type"
          options={Object.entries(TYPES).map(([value, label]) => ({ value, label }))}
        />
        <TextField name="dueDate" label="Due date" type="date" min={today()} optional />
      </div>
      <TextField name="notes" label="Note" optional />
    </FormDialog>
  )
}

function ContingencyMove(props: { sale: Sale; contingency: SaleContingency; onClose(): void }) {
  const { sale, contingency, onClose } = props
  const { today } = useFormats()
  const change = plumbline.useMutation('post', '/api/ext/sales/{saleId}/contingencies', {
    onSuccess: () => {
      say(`${inWords(contingency.type)} contingency recorded`)
      onClose()
    },
  })
  const choices = Object.entries(ENDS).filter(([value]) => value !== contingency.status)
  return (
    <FormDialog
      title={`${inWords(contingency.type)}, ${sale.number}`}
      size="narrow"
      word="Record"
      {...{ change, onClose }}
      onSubmit={(form) => {
        const notes = typed(form, 'notes')
        change.mutate({
          params: { path: { saleId: sale.id } },
          body: {
            contingencyId: contingency.contingencyId,
            status: form.get('status') as SaleContingencyStatus,
            date: typed(form, 'date') ?? null,
            ...(notes !== undefined && { notes }),
          },
        })
      }}
    >
      <SelectField name="status" label="Result" options={choices.map(([value, label]) => ({ value, label }))} />
      <TextField name="date" label="Date" type="date" defaultValue={today()} max={today()} />
      <TextField name="notes" label="Note" optional defaultValue={contingency.notes ?? ''} />
    </FormDialog>
  )
}
