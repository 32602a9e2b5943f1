import { Link, useParams } from 'react-router'
import type { Payment, PurchaseOrder } from '../../../client/contract.gen.ts'
import { useListPage } from '../../api/list-pages.ts'
import { plumbline, root } from '../../api/plumbline.ts'
import { useCan } from '../../api/session.ts'
import { useLiveUpdates } from '../../api/use-live-updates.ts'
import { Status } from '../../ui/badge.tsx'
import { humanizeName } from '../../ui/humanize-name.ts'
import { Icon } from '../../ui/icon.tsx'
import { formatPercent } from '../../ui/number-formats.ts'
import { Page } from '../../ui/page.tsx'
import { KeyValues, Panel } from '../../ui/panel.tsx'
import { RecordHistory } from '../../ui/record-history.tsx'
import { RecordName } from '../../ui/record-name.tsx'
import { LoadError, SkeletonLines } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { type Fact, TitleBlock } from '../../ui/title-block.tsx'
import { useFormats } from '../../ui/use-formats.ts'
import { RecordActions } from '../actions/record-actions.tsx'
import { ApprovalLimit } from './approval-reasons.tsx'
import { DuplicateWarning } from './duplicate-warning.tsx'
import { FollowUpMenu } from './follow-up-menu.tsx'
import { FollowUpOrders } from './follow-up-orders.tsx'
import { OrderFiles } from './order-files.tsx'
import { OrderLines } from './order-lines.tsx'
import { OrderMoves, useApprovalExplanation } from './order-moves.tsx'
import { OrderProgress } from './order-progress.tsx'
import { OrderSteps } from './order-steps.tsx'

/** The actions that have a button or a page of their own. */
const OWN_ACTIONS = ['changePurchaseOrderStatus', 'recordPurchaseOrderProgress', 'createVariancePo']

/** Shows one order: its lines, its payable amount, its progress, and its document. */
export function Component() {
  useLiveUpdates('at ease')
  const { poId = '' } = useParams()
  const can = useCan()
  const order = plumbline.useQuery('get', '/api/ext/purchase-orders/{poId}', {
    params: { path: { poId } },
  })
  const number = order.data?.number ?? 'Order'
  return (
    <Page
      title={number}
      crumbs={[{ name: 'Orders', to: '/orders' }, { name: number }]}
      actions={
        order.data !== undefined && (
          <>
            <a className="btn quiet" href={`${root}/api/ext/purchase-orders/${poId}/pdf`} download={`${number}.pdf`}>
              <Icon name="download" />
              PDF
            </a>
            {can('pos:write') && (
              <>
                <FollowUpMenu order={order.data} />
                {order.data.status === 'draft' && (
                  <Link className="btn" to={`/orders/${poId}/edit`}>
                    Edit
                  </Link>
                )}
              </>
            )}
            <OrderMoves order={order.data} />
            <RecordActions field="poId" id={poId} except={OWN_ACTIONS} />
          </>
        )
      }
    >
      {order.error !== null ? (
        <LoadError what="The order" error={order.error} onRetry={() => void order.refetch()} />
      ) : order.data === undefined ? (
        <SkeletonLines lines={8} />
      ) : (
        <OrderDetails order={order.data} />
      )}
    </Page>
  )
}

function OrderDetails({ order }: { order: PurchaseOrder }) {
  const can = useCan()
  const facts = useFacts(order)
  const why = useApprovalExplanation(order).data
  return (
    <>
      <TitleBlock
        name={order.number}
        state={<Status of="order" is={order.status} />}
        sub={
          <>
            {order.poType === 'backcharge' ? 'Backcharge' : `${humanizeName(order.poType)} order`},{' '}
            {humanizeName(order.scope).toLowerCase()}, for <RecordName of="home" id={order.homeId} />
            {order.parentPoId !== null && (
              <>
                , follows <RecordName of="order" id={order.parentPoId} />
              </>
            )}
          </>
        }
        facts={facts}
      />
      {why !== undefined && !why.mayApprove && <ApprovalLimit of={why} />}
      <DuplicateWarning order={order} />
      {order.status === 'pending_approval' && can('pos:write') && (
        <div className="banner" data-tone="warn">
          <Icon name="warn" />
          <div>
            <strong>This order needs approval.</strong>{' '}
            <span className="muted">The approval queue shows its effect on the budget.</span>
          </div>
          <Link className="btn small" to={`/orders/approvals?order=${order.id}`}>
            Review
          </Link>
        </div>
      )}
      <div className="cols">
        <div className="stack">
          <Panel title="Lines" actions={<OrderProgress order={order} />} isFlush>
            <OrderLines order={order} />
          </Panel>
          <FollowUpOrders order={order} />
          <OrderFiles order={order} />
          {can('payments:read') && <OrderPayments order={order} />}
          {can('events:read') && (
            <Panel title="History">
              <RecordHistory of={order.id} />
            </Panel>
          )}
        </div>
        <div className="stack">
          <Panel title="Steps" isFlush>
            <OrderSteps order={order} />
          </Panel>
          <Panel title="Details">
            <OrderTerms order={order} />
          </Panel>
        </div>
      </div>
    </>
  )
}

function useFacts(order: PurchaseOrder): readonly Fact[] {
  const { cents } = useFormats()
  const done = order.total === 0 ? 0 : (order.completedAmount / order.total) * 100
  const free = order.payableAmount - order.reservedAmount
  return [
    {
      label: 'Total',
      isFigure: true,
      value: cents(order.total),
      note: order.taxTotal === 0 ? 'no tax' : `includes ${cents(order.taxTotal)} tax`,
    },
    { label: 'Completed work', isFigure: true, value: cents(order.completedAmount), note: formatPercent(done) },
    {
      label: 'Retainage held',
      isFigure: true,
      isWideOnly: true,
      value: cents(order.retainedAmount),
      note: `${formatPercent(order.retainagePercent)} retainage`,
    },
    { label: 'Paid', isFigure: true, isWideOnly: true, value: cents(order.paidAmount) },
    {
      label: 'Payable',
      isFigure: true,
      value: cents(order.payableAmount),
      note:
        free > 0
          ? `${cents(free)} not on a payment yet`
          : order.payableAmount > 0
            ? 'all on payments'
            : 'nothing payable yet',
    },
    { label: 'Left to pay', isFigure: true, value: cents(order.balance), note: 'including retainage' },
  ]
}

function OrderTerms({ order }: { order: PurchaseOrder }) {
  const { approval } = order
  const { money } = useFormats()
  return (
    <KeyValues
      facts={[
        ['Vendor', <RecordName key="vendor" of="vendor" id={order.vendorId} />],
        ['Home', <RecordName key="home" of="home" id={order.homeId} />],
        ['Trade', humanizeName(order.scope)],
        ...(order.parentPoId === null
          ? []
          : [['Original order', <RecordName key="parent" of="order" id={order.parentPoId} />] as const]),
        ...(order.varianceReasonCode === null ? [] : [['Variance', humanizeName(order.varianceReasonCode)] as const]),
        [
          'Approval',
          approval.reasons.length === 0
            ? 'not needed'
            : approval.reasons
                .map((reason) =>
                  reason === 'over_limit' ? `above the limit of ${money(approval.limit ?? 0)}` : 'above the budget',
                )
                .join(' and '),
        ],
        ...(approval.rejectedReason === null ? [] : [['Reason for sending back', approval.rejectedReason] as const]),
        ['Accounting', order.accountingId ?? 'not synced yet'],
        ...(order.notes === null ? [] : [['Note', order.notes] as const]),
      ]}
    />
  )
}

/**
 * The maximum number of payments on the page. An order is usually paid in a few parts. The list of payments contains
 * the rest.
 */
const MAX_PAYMENTS_SHOWN = 20

function OrderPayments({ order }: { order: PurchaseOrder }) {
  const { cents, day } = useFormats()
  const payments = useListPage('/api/ext/payments', { poId: order.id, limit: MAX_PAYMENTS_SHOWN, sort: '-createdAt' })
  const rows = payments.data?.data
  if (payments.error !== null) return <LoadError what="The payments" error={payments.error} />
  const columns: readonly Column<Payment>[] = [
    { head: 'Payment', cell: ({ id, number }) => <Link to={`/payments/${id}`}>{number}</Link> },
    { head: 'Status', cell: ({ status }) => <Status of="payment" is={status} /> },
    { head: 'Type', cell: ({ paymentType }) => humanizeName(paymentType) },
    {
      head: 'Due',
      className: 'nowrap',
      cell: ({ dueDate, paidDate }) => (paidDate === null ? day(dueDate) : `paid ${day(paidDate)}`),
    },
    { head: 'Amount', numeric: true, cell: ({ amount }) => cents(amount) },
  ]
  return (
    <Panel title="Payments" hint="for this order" isFlush>
      {rows?.length === 0 ? (
        <p className="muted">
          {order.payableAmount > 0
            ? 'No payments yet. The next payment run can include this order.'
            : 'Nothing is payable yet. Record progress to make work payable.'}
        </p>
      ) : (
        <div className="table-wrap">
          <Table caption="Payments" columns={columns} rows={rows} keyOf={({ id }) => id} expected={1} />
        </div>
      )}
    </Panel>
  )
}
