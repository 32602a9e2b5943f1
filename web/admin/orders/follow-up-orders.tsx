import { Link } from 'react-router'
import type { PurchaseOrder } from '../../../client/contract.gen.ts'
import { useListPage } from '../../api/list-pages.ts'
import { Status } from '../../ui/badge.tsx'
import { humanizeName } from '../../ui/humanize-name.ts'
import { Panel } from '../../ui/panel.tsx'
import { LoadError } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { useFormats } from '../../ui/use-formats.ts'

/** An order rarely has more than a few follow-up orders. The list of orders contains the rest. */
const MAX_SHOWN = 50

/** Lists the change orders, variance orders, and backcharges of an order, with the total of the order with its changes. */
export function FollowUpOrders({ order }: { order: PurchaseOrder }) {
  const { cents } = useFormats()
  const found = useListPage('/api/ext/purchase-orders', { parentPoId: order.id, limit: MAX_SHOWN, sort: 'createdAt' })
  const rows = found.data?.data
  if (found.error !== null) return <LoadError what="The follow-up orders" error={found.error} />
  // Most orders have none, and the panel would only say so.
  if (rows === undefined || rows.length === 0) return null
  const columns: readonly Column<PurchaseOrder>[] = [
    {
      head: 'Order',
      cell: ({ id, number, lines }) => (
        <>
          <Link className="lead" to={`/orders/${id}`}>
            {number}
          </Link>
          <span className="sub">{lines[0]?.description}</span>
        </>
      ),
    },
    { head: 'Type', cell: ({ poType }) => humanizeName(poType) },
    { head: 'Status', cell: ({ status }) => <Status of="order" is={status} /> },
    {
      head: 'Reason',
      cell: ({ varianceReasonCode }) => (varianceReasonCode === null ? 'none' : humanizeName(varianceReasonCode)),
    },
    { head: 'Total', numeric: true, cell: ({ total }) => cents(total) },
  ]
  const { whole } = order
  return (
    <Panel
      title="Follow-up orders"
      hint="changes, variances, and backcharges"
      isFlush
      foot={
        whole !== null &&
        whole.total !== order.total && (
          <p className="muted">
            {order.number} was {cents(whole.originalTotal)}, and is <b>{cents(whole.total)}</b> with its approved
            changes.
          </p>
        )
      }
    >
      <div className="table-wrap">
        <Table caption="Follow-up orders" columns={columns} rows={rows} keyOf={({ id }) => id} />
      </div>
    </Panel>
  )
}
