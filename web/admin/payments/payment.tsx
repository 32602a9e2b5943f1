import { useParams } from 'react-router'
import type { Payment, PaymentAllocation } from '../../../client/contract.gen.ts'
import { plumbline } from '../../api/plumbline.ts'
import { useCan } from '../../api/session.ts'
import { Status } from '../../ui/badge.tsx'
import { humanizeName } from '../../ui/humanize-name.ts'
import { Page } from '../../ui/page.tsx'
import { KeyValues, Panel } from '../../ui/panel.tsx'
import { RecordHistory } from '../../ui/record-history.tsx'
import { RecordName } from '../../ui/record-name.tsx'
import { LoadError, SkeletonLines } from '../../ui/states.tsx'
import { type Column, EmptyCell, Table } from '../../ui/table.tsx'
import { TitleBlock } from '../../ui/title-block.tsx'
import { useFormats } from '../../ui/use-formats.ts'
import { RecordActions } from '../actions/record-actions.tsx'
import { PaymentMoves } from './payment-moves.tsx'
import { PaymentWaivers } from './payment-waivers.tsx'

/** Shows one payment: the orders that it pays, whether it was sent, and its lien waivers. */
export function Component() {
  const { paymentId = '' } = useParams()
  const payment = plumbline.useQuery('get', '/api/ext/payments/{paymentId}', { params: { path: { paymentId } } })
  const number = payment.data?.number ?? 'Payment'
  return (
    <Page
      title={number}
      crumbs={[{ name: 'Payments', to: '/payments/all' }, { name: number }]}
      actions={
        <>
          {payment.data !== undefined && <PaymentMoves payment={payment.data} />}
          <RecordActions field="paymentId" id={paymentId} />
        </>
      }
    >
      {payment.error !== null ? (
        <LoadError what="The payment" error={payment.error} onRetry={() => void payment.refetch()} />
      ) : payment.data === undefined ? (
        <SkeletonLines lines={6} />
      ) : (
        <PaymentDetails payment={payment.data} />
      )}
    </Page>
  )
}

function PaymentDetails({ payment }: { payment: Payment }) {
  const can = useCan()
  const { cents, day } = useFormats()
  const columns: readonly Column<PaymentAllocation>[] = [
    {
      head: 'Order',
      cell: ({ poId }) => (poId === null ? <EmptyCell word="no order" /> : <RecordName of="order" id={poId} />),
    },
    {
      head: 'Bill',
      cell: ({ billId }) => (billId === null ? <EmptyCell word="no bill" /> : <RecordName of="bill" id={billId} />),
    },
    { head: 'Line', cell: ({ lineId }) => lineId ?? <EmptyCell word="entire order" /> },
    { head: 'Amount before retainage', numeric: true, cell: ({ amount }) => cents(amount) },
    { head: 'Retainage held', numeric: true, cell: ({ retainageWithheld }) => cents(retainageWithheld) },
  ]
  return (
    <>
      <TitleBlock
        name={payment.number}
        state={<Status of="payment" is={payment.status} />}
        sub={
          <>
            {humanizeName(payment.paymentType)} to <RecordName of="vendor" id={payment.vendorId} />
          </>
        }
        facts={[
          { label: 'Amount', isFigure: true, value: cents(payment.amount) },
          { label: 'Amount before retainage', isFigure: true, isWideOnly: true, value: cents(payment.grossAmount) },
          { label: 'Retainage held', isFigure: true, value: cents(payment.retainageWithheld) },
          {
            label: 'Discount',
            isFigure: true,
            isWideOnly: true,
            value: cents(payment.paidDate === null ? payment.discountAmount : payment.discountTaken),
            note:
              payment.discountAmount === 0
                ? 'none agreed'
                : payment.paidDate !== null
                  ? 'taken'
                  : payment.discountDueDate === null
                    ? undefined
                    : `if paid by ${day(payment.discountDueDate)}`,
          },
          { label: 'Due', value: day(payment.dueDate) },
          { label: 'Paid', value: payment.paidDate === null ? 'not yet' : day(payment.paidDate) },
        ]}
      />
      <div className="cols">
        <div className="stack">
          <Panel title="Bills and orders paid" isFlush>
            <div className="table-wrap">
              <Table
                caption="Bills and orders"
                columns={columns}
                rows={payment.allocations}
                keyOf={({ billId, poId, lineId }) => `${billId} ${poId} ${lineId}`}
              />
            </div>
          </Panel>
          <PaymentWaivers payment={payment} />
          {can('events:read') && (
            <Panel title="History">
              <RecordHistory of={payment.id} />
            </Panel>
          )}
        </div>
        <Panel title="Details">
          <KeyValues
            facts={[
              ['Vendor', <RecordName key="vendor" of="vendor" id={payment.vendorId} />],
              [
                'Home',
                payment.homeId === null ? (
                  <EmptyCell key="home" word="several" />
                ) : (
                  <RecordName key="home" of="home" id={payment.homeId} />
                ),
              ],
              ['Invoice', payment.invoiceNumber ?? <EmptyCell key="invoice" />],
              [
                'Method',
                `${humanizeName(payment.method)}${payment.checkNumber === null ? '' : `, ${payment.checkNumber}`}`,
              ],
              ['Accounting', payment.accountingId ?? 'not synced yet'],
              ...(payment.voidReason === null ? [] : [['Reason for voiding', payment.voidReason] as const]),
            ]}
          />
        </Panel>
      </div>
    </>
  )
}
