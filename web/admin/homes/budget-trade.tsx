import { Link, useSearchParams } from 'react-router'
import type { Bill, BudgetCostCode, BudgetScope, Home, PurchaseOrder } from '../../../client/contract.gen.ts'
import { NO_TRADE } from '../../../server/domain/ledger/no-trade.ts'
import { useListPage } from '../../api/list-pages.ts'
import { useCan } from '../../api/session.ts'
import { Status } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { humanizeName } from '../../ui/humanize-name.ts'
import { Panel } from '../../ui/panel.tsx'
import { useQueryParam } from '../../ui/param-select.tsx'
import { RecordName } from '../../ui/record-name.tsx'
import { LoadError, SkeletonLines } from '../../ui/states.tsx'
import { type Column, EmptyCell, Table } from '../../ui/table.tsx'
import { useFormats } from '../../ui/use-formats.ts'
import { computeBudgetLeft } from './budget-left.ts'

/** The query parameter with the trade whose details are open. */
export const TRADE_PARAM = 'trade'

/** The maximum number of orders to show. A trade of a home rarely has more. The list of orders shows all of them. */
const MAX_ORDERS = 50
/** The number of the newest bills of the home that are searched for bills of the trade. */
const MAX_BILLS = 200

/** Returns the URL of the cost ledger of a home for one trade and, if there is one, one of its cost codes. */
function toCostsUrl(homeId: string, scope: string, costCodeId: string | null): string {
  const query = new URLSearchParams({ tab: 'costs', scope })
  if (costCodeId !== null) query.set('costCodeId', costCodeId)
  return `/homes/${homeId}?${query}`
}

/** Shows the trade in the URL with its cost codes, its orders, its bills, and links to its postings. */
export function BudgetTrade({ home, scopes }: { home: Home; scopes: readonly BudgetScope[] }) {
  const name = useSearchParams()[0].get(TRADE_PARAM)?.toLowerCase()
  const close = useQueryParam(TRADE_PARAM)
  const can = useCan()
  const scope = scopes.find((one) => one.scope.toLowerCase() === name)
  if (scope === undefined) return null
  return (
    <Dialog
      open
      onClose={() => close('')}
      title={humanizeName(scope.scope)}
      note={home.name}
      size="wide"
      tail={
        <>
          <span className="push" />
          <Button onClick={() => close('')}>Close</Button>
        </>
      }
    >
      <div className="stack">
        <CostCodes {...{ home, scope }} />
        {can('pos:read') && <Orders {...{ home, scope }} />}
      </div>
    </Dialog>
  )
}

function CostCodes({ home, scope }: { home: Home; scope: BudgetScope }) {
  const can = useCan()
  const { cents } = useFormats()
  const amount = (figure: number) => (figure === 0 ? <span className="none">0</span> : cents(figure))
  const columns: readonly Column<BudgetCostCode>[] = [
    {
      head: 'Cost code',
      cell: ({ code, name }) =>
        code === null ? (
          'No cost code'
        ) : (
          <>
            <span className="lead">{code}</span>
            <span className="sub">{name}</span>
          </>
        ),
    },
    { head: 'Budgeted', numeric: true, cell: ({ budgeted }) => amount(budgeted) },
    { head: 'Committed', numeric: true, cell: ({ committed }) => amount(committed) },
    { head: 'Pending', numeric: true, cell: ({ pendingCommitted }) => amount(pendingCommitted) },
    { head: 'Without order', numeric: true, cell: ({ costWithoutOrder }) => amount(costWithoutOrder) },
    { head: 'Left', numeric: true, cell: (row) => amount(computeBudgetLeft(row)) },
    {
      head: 'Actual',
      numeric: true,
      cell: ({ actual, costCodeId }) =>
        // Amounts without a cost code have no filter of their own among the postings of a trade with several codes.
        can('ledger:read') && actual !== 0 && (costCodeId !== null || scope.costCodes.length === 1) ? (
          <Link to={toCostsUrl(home.id, scope.scope, costCodeId)}>{cents(actual)}</Link>
        ) : (
          amount(actual)
        ),
    },
  ]
  return (
    <Panel
      title="Cost codes"
      isFlush
      actions={
        can('ledger:read') && (
          <>
            <Link className="btn small" to={toCostsUrl(home.id, scope.scope, null)}>
              Cost ledger
            </Link>
            <Link
              className="btn small"
              to={`/accounting/ledger/postings?${new URLSearchParams({ homeId: home.id, scope: scope.scope })}`}
            >
              All postings
            </Link>
          </>
        )
      }
    >
      <div className="table-wrap">
        <Table
          caption="Cost codes"
          columns={columns}
          rows={scope.costCodes}
          keyOf={({ costCodeId }) => costCodeId ?? 'none'}
        />
      </div>
    </Panel>
  )
}

function Orders({ home, scope }: { home: Home; scope: BudgetScope }) {
  const can = useCan()
  const { cents } = useFormats()
  const orders = useListPage('/api/ext/purchase-orders', {
    ...{ homeId: home.id, scope: scope.scope, sort: 'number', limit: MAX_ORDERS },
  })
  const rows = orders.data?.data
  const columns: readonly Column<PurchaseOrder>[] = [
    {
      head: 'Order',
      cell: ({ id, number }) => (
        <Link className="lead" to={`/orders/${id}`}>
          {number}
        </Link>
      ),
    },
    { head: 'Status', cell: ({ status }) => <Status of="order" is={status} /> },
    { head: 'Vendor', cell: ({ vendorId }) => <RecordName of="vendor" id={vendorId} /> },
    { head: 'Total', numeric: true, cell: ({ total }) => cents(total) },
    { head: 'Completed', numeric: true, cell: ({ completedAmount }) => cents(completedAmount) },
  ]
  return (
    <>
      <Panel
        title="Orders"
        isFlush={rows?.length !== 0}
        actions={
          <Link
            className="btn small"
            to={`/homes/${home.id}?${new URLSearchParams({ tab: 'orders', scope: scope.scope })}`}
          >
            All orders
          </Link>
        }
      >
        {orders.error !== null ? (
          <LoadError what="The orders" error={orders.error} onRetry={() => void orders.refetch()} />
        ) : rows?.length === 0 ? (
          <p className="muted">No orders.</p>
        ) : (
          <div className="table-wrap">
            <Table caption="Orders" columns={columns} rows={rows} keyOf={({ id }) => id} expected={2} />
          </div>
        )}
      </Panel>
      {can('bills:read') && rows !== undefined && (
        <Bills home={home} scope={scope.scope} orderIds={new Set(rows.map(({ id }) => id))} />
      )}
    </>
  )
}

/** A bill with the amount that it charges to the trade. */
interface TradeBill {
  bill: Bill
  amount: number
}

function Bills({ home, scope, orderIds }: { home: Home; scope: string; orderIds: ReadonlySet<string> }) {
  const { cents, day } = useFormats()
  const bills = useListPage('/api/ext/bills', { homeId: home.id, sort: '-createdAt', limit: MAX_BILLS })
  const isOfTrade = ({ homeId, poId }: Bill['lines'][number]) =>
    poId === null ? scope === NO_TRADE && homeId === home.id : orderIds.has(poId)
  const rows = bills.data?.data.flatMap((bill): TradeBill[] => {
    const lines = bill.lines.filter(isOfTrade)
    return lines.length === 0 ? [] : [{ bill, amount: lines.reduce((sum, { amount }) => sum + amount, 0) }]
  })
  const columns: readonly Column<TradeBill>[] = [
    {
      head: 'Bill',
      cell: ({ bill: { id, number, invoiceNumber } }) => (
        <>
          <Link className="lead" to={`/payments/bills/${id}`}>
            {number}
          </Link>
          {invoiceNumber !== null && <span className="sub">{invoiceNumber}</span>}
        </>
      ),
    },
    { head: 'Status', cell: ({ bill }) => <Status of="bill" is={bill.status} /> },
    { head: 'Vendor', cell: ({ bill }) => <RecordName of="vendor" id={bill.vendorId} /> },
    { head: 'Due', className: 'nowrap', cell: ({ bill }) => day(bill.dueDate) ?? <EmptyCell /> },
    { head: 'Billed to this trade', numeric: true, cell: ({ amount }) => cents(amount) },
  ]
  return (
    <Panel
      title="Bills"
      isFlush={rows !== undefined && rows.length > 0}
      {...(bills.data !== undefined &&
        bills.data.nextCursor !== null && { hint: `only from the newest ${MAX_BILLS} bills of the home` })}
    >
      {bills.error !== null ? (
        <LoadError what="The bills" error={bills.error} onRetry={() => void bills.refetch()} />
      ) : rows === undefined ? (
        <SkeletonLines lines={2} />
      ) : rows.length === 0 ? (
        <p className="muted">No bills.</p>
      ) : (
        <div className="table-wrap">
          <Table caption="Bills" columns={columns} rows={rows} keyOf={({ bill }) => bill.id} />
        </div>
      )}
    </Panel>
  )
}
