import { useState } from 'react'
import type { Sale, SaleDeposit, SaleDepositStatus } from '../../../client/contract.gen.ts'
import { plumbline } from '../../api/plumbline.ts'
import { useCan } from '../../api/session.ts'
import { Button } from '../../ui/button.tsx'
import { readNumberField, readTextField, SelectField, TextField } from '../../ui/form.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { humanizeName } from '../../ui/humanize-name.ts'
import { Panel } from '../../ui/panel.tsx'
import { type Column, EmptyCell, Table } from '../../ui/table.tsx'
import { showToast } from '../../ui/toast.tsx'
import { useFormats } from '../../ui/use-formats.ts'

/** The statuses to which a deposit can change. A settled deposit cannot change. */
const NEXT_STATUSES: Record<SaleDepositStatus, readonly { value: SaleDepositStatus; label: string }[]> = {
  due: [
    { value: 'received', label: 'Received' },
    { value: 'cancelled', label: 'Waived' },
  ],
  received: [
    { value: 'refunded', label: 'Refunded to the buyers' },
    { value: 'forfeited', label: 'Forfeited: you keep the deposit' },
  ],
  refunded: [],
  forfeited: [],
  cancelled: [],
}

/** The words for the status of a deposit at the end of a sentence. */
const RESULT_WORDS: Record<SaleDepositStatus, string> = {
  due: 'due',
  received: 'received',
  refunded: 'refunded',
  forfeited: 'forfeited',
  cancelled: 'waived',
}

/** Lists the deposits of a sale and whether they are due, received, or settled. */
export function Deposits({ sale }: { sale: Sale }) {
  const can = useCan()
  const { cents, day } = useFormats()
  const [open, setOpen] = useState<SaleDeposit | 'new' | null>(null)
  const canWrite = can('sales:write') && sale.status !== 'cancelled'
  const columns: readonly Column<SaleDeposit>[] = [
    { head: 'Deposit', cell: ({ depositId }) => depositId },
    { head: 'Status', cell: ({ status }) => humanizeName(status) },
    { head: 'Due', cell: ({ dueDate }) => (dueDate === null ? <EmptyCell word="no date" /> : day(dueDate)) },
    {
      head: 'Received',
      cell: ({ receivedDate }) => (receivedDate === null ? <EmptyCell word="not yet" /> : day(receivedDate)),
    },
    { head: 'Amount', numeric: true, cell: ({ amount }) => cents(amount) },
    ...(canWrite
      ? [
          {
            head: 'Actions',
            className: 'num',
            cell: (deposit: SaleDeposit) =>
              NEXT_STATUSES[deposit.status].length === 0 ? (
                <EmptyCell word="settled" />
              ) : (
                <Button small onClick={() => setOpen(deposit)}>
                  Record result<span className="sr"> {deposit.depositId}</span>
                </Button>
              ),
          },
        ]
      : []),
  ]
  return (
    <Panel
      title="Deposits"
      isFlush
      actions={
        canWrite && (
          <Button small icon="plus" onClick={() => setOpen('new')}>
            Add deposit
          </Button>
        )
      }
    >
      {sale.deposits.length === 0 ? (
        <p className="muted">No deposits.</p>
      ) : (
        <div className="table-wrap">
          <Table caption="Deposits" columns={columns} rows={sale.deposits} keyOf={({ depositId }) => depositId} />
        </div>
      )}
      {open === 'new' && <NewDepositDialog sale={sale} onClose={() => setOpen(null)} />}
      {open !== null && open !== 'new' && <DepositDialog sale={sale} deposit={open} onClose={() => setOpen(null)} />}
    </Panel>
  )
}

function NewDepositDialog({ sale, onClose }: { sale: Sale; onClose(): void }) {
  const { today } = useFormats()
  const change = plumbline.useMutation('post', '/api/ext/sales/{saleId}/deposits', {
    onSuccess: ({ number }) => {
      showToast(`Deposit added to ${number}`)
      onClose()
    },
  })
  return (
    <FormDialog
      title="New deposit"
      note={sale.number}
      size="narrow"
      word="Add deposit"
      {...{ change, onClose }}
      onSubmit={(form) => {
        const status = form.get('status') === 'received' ? 'received' : 'due'
        const day = readTextField(form, 'date') ?? null
        const amount = readNumberField(form, 'amount')
        change.mutate({
          params: { path: { saleId: sale.id } },
          body: {
            status,
            ...(amount !== undefined && { amount }),
            ...(status === 'due' ? { dueDate: day } : { date: day }),
          },
        })
      }}
    >
      <div className="form-row">
        <TextField name="amount" label="Amount" autoFocus />
        <SelectField
          name="status"
          label="Status"
          options={[
            { value: 'due', label: 'Due' },
            { value: 'received', label: 'Received' },
          ]}
        />
      </div>
      <TextField name="date" label="Date" type="date" defaultValue={today()} pointer="/dueDate" />
    </FormDialog>
  )
}

function DepositDialog({ sale, deposit, onClose }: { sale: Sale; deposit: SaleDeposit; onClose(): void }) {
  const { today, cents } = useFormats()
  const choices = NEXT_STATUSES[deposit.status]
  const [status, setStatus] = useState(choices[0]?.value ?? deposit.status)
  const change = plumbline.useMutation('post', '/api/ext/sales/{saleId}/deposits', {
    onSuccess: () => {
      showToast(`Deposit of ${cents(deposit.amount)} ${RESULT_WORDS[status]}`)
      onClose()
    },
  })
  return (
    <FormDialog
      title={`Record deposit of ${cents(deposit.amount)}`}
      note={sale.number}
      size="narrow"
      word="Record"
      {...{ change, onClose }}
      onSubmit={(form) => {
        const reason = readTextField(form, 'reason')
        change.mutate({
          params: { path: { saleId: sale.id } },
          body: {
            depositId: deposit.depositId,
            status,
            date: readTextField(form, 'date') ?? null,
            ...(reason !== undefined && { reason }),
          },
        })
      }}
    >
      <SelectField
        name="status"
        label="Result"
        value={status}
        onChange={(value) => setStatus(choices.find((choice) => choice.value === value)?.value ?? status)}
        options={choices}
      />
      <TextField name="date" label="Date" type="date" defaultValue={today()} />
      {status !== 'received' && <TextField name="reason" label="Reason" optional />}
    </FormDialog>
  )
}
