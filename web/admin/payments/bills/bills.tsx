import { useState } from 'react'
import { useNavigate } from 'react-router'
import type { Bill, BillStatus } from '../../../../client/contract.gen.ts'
import { useCan } from '../../../api/session.ts'
import { Button } from '../../../ui/button.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { Listing } from '../../../ui/listing.tsx'
import { Page } from '../../../ui/page.tsx'
import { EmptyState } from '../../../ui/states.tsx'
import { STATUS_LOOKS } from '../../../ui/status-styles.ts'
import type { Column } from '../../../ui/table.tsx'
import { formatCount } from '../../../ui/text-formats.ts'
import { useFormats } from '../../../ui/use-formats.ts'
import { ViewTabs } from '../../../ui/view-tabs.tsx'
import { PaymentsTabs } from '../payments-tabs.tsx'
import { useBillColumns } from './bill-columns.tsx'
import { isPayable } from './bill-moves.tsx'
import { PayBillsDialog } from './pay-bills-dialog.tsx'

/** The statuses of a bill, mostly in the order in which they follow one another. */
const STATUSES = ['received', 'approved', 'partially_paid', 'paid', 'rejected', 'draft', 'void'] satisfies BillStatus[]

const VIEWS = [
  { value: undefined, word: 'All' },
  ...STATUSES.map((value) => ({ value, word: STATUS_LOOKS.bill[value].word })),
]

const FILTERS = [
  {
    name: 'billType',
    label: 'Type',
    options: [
      { value: 'invoice', label: 'Invoice' },
      { value: 'credit_memo', label: 'Credit memo' },
    ],
  },
  {
    name: 'source',
    label: 'Source',
    options: [
      { value: 'manual', label: 'Entered' },
      { value: 'portal', label: 'Sent by the vendor' },
      { value: 'completion', label: 'From completed work' },
      { value: 'import', label: 'Imported' },
      { value: 'migration', label: 'From another system' },
    ],
  },
]

/** The maximum number of bills in one payment run. */
const MAX_CHOSEN = 100

/** Shows the inbox of bills by status, and lets the user choose bills to pay. */
export function Component() {
  const can = useCan()
  const navigate = useNavigate()
  const { cents } = useFormats()
  const [chosen, setChosen] = useState<ReadonlyMap<string, Bill>>(new Map())
  const [isPaying, setIsPaying] = useState(false)
  const mayPay = can('payments:write')
  const toggle = (bill: Bill) => {
    const next = new Map(chosen)
    if (!next.delete(bill.id) && next.size < MAX_CHOSEN) next.set(bill.id, bill)
    setChosen(next)
  }
  const [first, ...others] = useBillColumns()
  const choice: Column<Bill> = {
    head: 'Pay',
    cell: (bill) =>
      isPayable(bill) && (
        <label className="check">
          <input
            type="checkbox"
            checked={chosen.has(bill.id)}
            aria-label={`Pay ${bill.number}`}
            onChange={() => toggle(bill)}
          />
        </label>
      ),
  }
  const columns = first === undefined ? [] : [first, ...(mayPay ? [choice] : []), ...others]
  const total = [...chosen.values()].reduce((sum, bill) => sum + bill.openAmount - bill.reservedAmount, 0)
  return (
    <Page
      title="Bills"
      crumbs={[{ name: 'Payments', to: '/payments' }, { name: 'Bills' }]}
      actions={
        can('bills:write') && (
          <Button look="primary" icon="plus" onClick={() => void navigate('/payments/bills/new')}>
            New bill
          </Button>
        )
      }
    >
      <div className="page-head">
        <h1>Payments</h1>
        <p>Invoices and credit memos from vendors. Only an approved bill can be paid.</p>
      </div>
      <PaymentsTabs />
      <ViewTabs label="By status" name="status" views={VIEWS} />
      {chosen.size > 0 && (
        <div className="banner" data-tone="flow" role="status">
          <Icon name="payments" />
          <div>
            <strong>
              {formatCount(chosen.size, 'bill')} chosen, {cents(total)} open.
            </strong>{' '}
            <span className="muted">The next step shows the payments before they are created.</span>
          </div>
          <span className="row">
            <Button onClick={() => setChosen(new Map())}>Clear</Button>
            <Button look="primary" onClick={() => setIsPaying(true)}>
              Pay {formatCount(chosen.size, 'bill')}
            </Button>
          </span>
        </div>
      )}
      <Listing
        path="/api/ext/bills"
        nouns={['bill', 'bills']}
        columns={columns}
        keyOf={({ id }) => id}
        sort="-createdAt"
        searchIn="Number or invoice"
        tabs={['status']}
        filters={FILTERS}
        empty={
          <EmptyState icon="payments" title="No bills yet">
            Enter a bill when an invoice arrives. Vendors can also send their bills in the portal.
          </EmptyState>
        }
      />
      {isPaying && <PayBillsDialog bills={[...chosen.values()]} onClose={() => setIsPaying(false)} />}
    </Page>
  )
}
