import { useState } from 'react'
import type { Sale, SaleContingency, SaleContingencyStatus, SaleContingencyType } from '../../../client/contract.gen.ts'
import { plumbline } from '../../api/plumbline.ts'
import { useCan } from '../../api/session.ts'
import { Button } from '../../ui/button.tsx'
import { readTextField, SelectField, TextField } from '../../ui/form.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { humanizeName } from '../../ui/humanize-name.ts'
import { Panel } from '../../ui/panel.tsx'
import { type Column, EmptyCell, Table } from '../../ui/table.tsx'
import { showToast } from '../../ui/toast.tsx'
import { useFormats } from '../../ui/use-formats.ts'

const TYPE_LABELS = {
  financing: 'Financing',
  appraisal: 'Appraisal',
  inspection: 'Inspection',
  home_sale: 'Sale of current home',
  other: 'Other',
} satisfies Record<SaleContingencyType, string>

const OUTCOME_LABELS = {
  cleared: 'Cleared',
  waived: 'Waived',
  failed: 'Failed',
} satisfies Record<Exclude<SaleContingencyStatus, 'open'>, string>

/** Lists the contingencies of a sale and their outcomes. */
export function Contingencies({ sale }: { sale: Sale }) {
  const can = useCan()
  const { day } = useFormats()
  const [open, setOpen] = useState<SaleContingency | 'new' | null>(null)
  const canWrite = can('sales:write') && sale.status !== 'cancelled'
  const columns: readonly Column<SaleContingency>[] = [
    { head: 'Contingency', cell: ({ type }) => humanizeName(type) },
    {
      head: 'Status',
      cell: ({ status }) => (status === 'failed' ? <span className="tone-bad">Failed</span> : humanizeName(status)),
    },
    { head: 'Due', cell: ({ dueDate }) => (dueDate === null ? <EmptyCell word="no date" /> : day(dueDate)) },
    { head: 'Note', cell: ({ notes }) => notes ?? <EmptyCell /> },
    ...(canWrite
      ? [
          {
            head: 'Actions',
            className: 'num',
            cell: (contingency: SaleContingency) =>
              contingency.status === 'open' || contingency.status === 'failed' ? (
                <Button small onClick={() => setOpen(contingency)}>
                  Record result<span className="sr"> {contingency.contingencyId}</span>
                </Button>
              ) : (
                <EmptyCell word="settled" />
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
      {open === 'new' && <NewContingencyDialog sale={sale} onClose={() => setOpen(null)} />}
      {open !== null && open !== 'new' && (
        <ContingencyDialog sale={sale} contingency={open} onClose={() => setOpen(null)} />
      )}
    </Panel>
  )
}

function NewContingencyDialog({ sale, onClose }: { sale: Sale; onClose(): void }) {
  const { today } = useFormats()
  const change = plumbline.useMutation('post', '/api/ext/sales/{saleId}/contingencies', {
    onSuccess: ({ number }) => {
      showToast(`Contingency added to ${number}`)
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
            ...{ dueDate: readTextField(form, 'dueDate') ?? null, notes: readTextField(form, 'notes') ?? null },
          },
        })
      }
    >
      <div className="form-row">
        <SelectField
          name="type"
          label="Type"
          options={Object.entries(TYPE_LABELS).map(([value, label]) => ({ value, label }))}
        />
        <TextField name="dueDate" label="Due date" type="date" min={today()} optional />
      </div>
      <TextField name="notes" label="Note" optional />
    </FormDialog>
  )
}

function ContingencyDialog(props: { sale: Sale; contingency: SaleContingency; onClose(): void }) {
  const { sale, contingency, onClose } = props
  const { today } = useFormats()
  const change = plumbline.useMutation('post', '/api/ext/sales/{saleId}/contingencies', {
    onSuccess: () => {
      showToast(`${humanizeName(contingency.type)} contingency: result recorded`)
      onClose()
    },
  })
  const choices = Object.entries(OUTCOME_LABELS).filter(([value]) => value !== contingency.status)
  return (
    <FormDialog
      title={`${humanizeName(contingency.type)}, ${sale.number}`}
      size="narrow"
      word="Record"
      {...{ change, onClose }}
      onSubmit={(form) => {
        const notes = readTextField(form, 'notes')
        change.mutate({
          params: { path: { saleId: sale.id } },
          body: {
            contingencyId: contingency.contingencyId,
            status: form.get('status') as SaleContingencyStatus,
            date: readTextField(form, 'date') ?? null,
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
