import { Link, useParams } from 'react-router'
import type { Bill, BillLine, Payment } from '../../../../client/contract.gen.ts'
import { useListPage } from '../../../api/list-pages.ts'
import { plumbline } from '../../../api/plumbline.ts'
import { useCan } from '../../../api/session.ts'
import { useRecords } from '../../../api/use-records.ts'
import { ActorName } from '../../../ui/actor-name.tsx'
import { Status } from '../../../ui/badge.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { Page } from '../../../ui/page.tsx'
import { KeyValues, Panel } from '../../../ui/panel.tsx'
import { RecordHistory } from '../../../ui/record-history.tsx'
import { RecordName } from '../../../ui/record-name.tsx'
import { LoadError, SkeletonLines } from '../../../ui/states.tsx'
import { type Column, EmptyCell, Table } from '../../../ui/table.tsx'
import { formatCount } from '../../../ui/text-formats.ts'
import { TitleBlock } from '../../../ui/title-block.tsx'
import { useFormats } from '../../../ui/use-formats.ts'
import { RecordActions } from '../../actions/record-actions.tsx'
import { BillFiles } from './bill-files.tsx'
import { BillMoves } from './bill-moves.tsx'

/** Shows one bill: its file, its match with the orders, its payments, and its history. */
export function Component() {
  const { billId = '' } = useParams()
  const bill = plumbline.useQuery('get', '/api/ext/bills/{billId}', { params: { path: { billId } } })
  const number = bill.data?.number ?? 'Bill'
  return (
    <Page
      title={number}
      crumbs={[{ name: 'Payments', to: '/payments' }, { name: 'Bills', to: '/payments/bills' }, { name: number }]}
      actions={
        <>
          {bill.data !== undefined && <BillMoves bill={bill.data} />}
          <RecordActions field="billId" id={billId} />
        </>
      }
    >
      {bill.error !== null ? (
        <LoadError what="The bill" error={bill.error} onRetry={() => void bill.refetch()} />
      ) : bill.data === undefined ? (
        <SkeletonLines lines={6} />
      ) : (
        <BillDetails bill={bill.data} />
      )}
    </Page>
  )
}

function BillDetails({ bill }: { bill: Bill }) {
  const can = useCan()
  const { cents, day, time } = useFormats()
  const { approvedBy, approvedAt, rejectedReason } = bill.approval
  return (
    <>
      <TitleBlock
        name={bill.number}
        state={<Status of="bill" is={bill.status} />}
        sub={
          <>
            {bill.billType === 'credit_memo' ? 'Credit memo' : 'Invoice'} {bill.invoiceNumber} from{' '}
            <RecordName of="vendor" id={bill.vendorId} />
          </>
        }
        facts={[
          { label: 'Before retainage', isFigure: true, isWideOnly: true, value: cents(bill.grossAmount) },
          { label: 'Retainage held', isFigure: true, isWideOnly: true, value: cents(bill.retainageWithheld) },
          { label: 'Amount', isFigure: true, value: cents(bill.amount) },
          {
            label: 'Open',
            isFigure: true,
            value: cents(bill.openAmount),
            note: bill.reservedAmount === 0 ? undefined : `${cents(bill.reservedAmount)} on payments`,
          },
          {
            label: 'Due',
            value: day(bill.dueDate),
            note: `${formatCount(bill.terms.netDays, 'day')} after the invoice date`,
          },
          {
            label: 'Discount',
            isFigure: true,
            value: bill.discountAmount === 0 ? 'none' : cents(bill.discountAmount),
            note: bill.discountDueDate === null ? undefined : `if paid by ${day(bill.discountDueDate)}`,
          },
        ]}
      />
      {bill.holdReason !== null && (
        <div className="banner" data-tone="warn">
          <Icon name="warn" />
          <div>
            <strong>On hold.</strong> <span className="muted">{bill.holdReason}</span>
          </div>
        </div>
      )}
      {rejectedReason !== null && (
        <div className="banner" data-tone="bad">
          <Icon name="x" />
          <div>
            <strong>Rejected.</strong> <span className="muted">{rejectedReason}</span>
          </div>
        </div>
      )}
      <div className="beside-file">
        <div className="stack">
          <BillMatchPanel bill={bill} />
          {can('payments:read') && <BillPayments bill={bill} />}
          <Panel title="Details">
            <KeyValues
              facts={[
                ['Invoice date', day(bill.invoiceDate)],
                ['Received', day(bill.receivedDate)],
                ['Posting date', day(bill.postingDate)],
                [
                  'Approved',
                  approvedBy === null || approvedAt === null ? (
                    <EmptyCell key="approved" word="not yet" />
                  ) : (
                    <span key="approved">
                      {time(approvedAt)} by <ActorName of={approvedBy} />
                    </span>
                  ),
                ],
                ['Accounting', bill.accountingId ?? 'not synced yet'],
                ...(bill.voidReason === null ? [] : [['Reason for voiding', bill.voidReason] as const]),
              ]}
            />
          </Panel>
        </div>
        <div className="stack">
          <BillFiles bill={bill} />
          {can('events:read') && (
            <Panel title="History">
              <RecordHistory of={bill.id} />
            </Panel>
          )}
        </div>
      </div>
    </>
  )
}

/** Compares the lines of a bill with the completed and billed amounts of the orders. */
function BillMatchPanel({ bill }: { bill: Bill }) {
  const can = useCan()
  const { cents } = useFormats()
  const orders = useRecords('/api/ext/purchase-orders', can('pos:read') ? bill.lines.map(({ poId }) => poId) : [])
  const orderOf = ({ poId }: BillLine) => (poId === null ? undefined : orders.get(poId))
  const columns: readonly Column<BillLine>[] = [
    {
      head: 'Line',
      cell: ({ description, costCodeId }) => (
        <>
          {description}
          {costCodeId !== null && (
            <span className="sub">
              <RecordName of="costCode" id={costCodeId} />
            </span>
          )}
        </>
      ),
    },
    {
      head: 'Order',
      cell: ({ poId, homeId }) => (
        <>
          {poId === null ? <EmptyCell word="no order" /> : <RecordName of="order" id={poId} />}
          <span className="sub">
            <RecordName of="home" id={homeId} />
          </span>
        </>
      ),
    },
    {
      head: 'Completed',
      numeric: true,
      cell: (line) => {
        const order = orderOf(line)
        return order === undefined ? <EmptyCell /> : cents(order.completedAmount + order.storedAmount)
      },
    },
    {
      head: 'Billed so far',
      numeric: true,
      cell: (line) => {
        const order = orderOf(line)
        return order === undefined ? <EmptyCell /> : cents(order.billedAmount)
      },
    },
    { head: 'Retainage', numeric: true, cell: ({ retainageWithheld }) => cents(retainageWithheld) },
    { head: 'This bill', numeric: true, cell: ({ amount }) => cents(amount) },
  ]
  return (
    <Panel title="Match with orders" hint={<Status of="billMatch" is={bill.match} bare />} isFlush>
      <div className="table-wrap">
        <Table caption="Lines" columns={columns} rows={bill.lines} keyOf={({ lineId }) => lineId} />
      </div>
    </Panel>
  )
}

/** The maximum number of payments. A bill is rarely paid in more parts. */
const MAX_PAYMENTS = 50

function BillPayments({ bill }: { bill: Bill }) {
  const { cents, day } = useFormats()
  const payments = useListPage('/api/ext/payments', { billId: bill.id, limit: MAX_PAYMENTS, sort: '-createdAt' })
  const rows = payments.data?.data
  const partOf = ({ allocations }: Payment) =>
    allocations.reduce(
      (sum, { billId, amount, retainageWithheld }) => (billId === bill.id ? sum + amount - retainageWithheld : sum),
      0,
    )
  const columns: readonly Column<Payment>[] = [
    {
      head: 'Payment',
      cell: ({ id, number }) => (
        <Link className="lead" to={`/payments/${id}`}>
          {number}
        </Link>
      ),
    },
    { head: 'Status', cell: ({ status }) => <Status of="payment" is={status} /> },
    { head: 'Paid', cell: ({ paidDate }) => (paidDate === null ? <EmptyCell word="not yet" /> : day(paidDate)) },
    { head: 'For this bill', numeric: true, cell: (payment) => cents(partOf(payment)) },
  ]
  return (
    <Panel title="Payments" isFlush={rows?.length !== 0}>
      {payments.error !== null ? (
        <LoadError what="The payments" error={payments.error} onRetry={() => void payments.refetch()} />
      ) : rows?.length === 0 ? (
        <p className="muted">No payments yet.</p>
      ) : (
        <div className="table-wrap">
          <Table caption="Payments" columns={columns} rows={rows} keyOf={({ id }) => id} expected={1} />
        </div>
      )}
    </Panel>
  )
}
