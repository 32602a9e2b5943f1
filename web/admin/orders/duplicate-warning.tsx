import { Link } from 'react-router'
import type { PurchaseOrder, PurchaseOrderStatus } from '../../../client/contract.gen.ts'
import { plumbline } from '../../api/plumbline.ts'
import { Icon } from '../../ui/icon.tsx'

/** The statuses in which a duplicate can still be voided without the vendor noticing. */
const UNSENT_STATUSES: readonly PurchaseOrderStatus[] = ['draft', 'pending_approval', 'approved']
/** The page size limit of one request. A home has fewer sets of similar orders. */
const MAX_SETS = 100

/** Warns that the home has another order of the vendor with the same total and the same lines or trade. */
export function DuplicateWarning({ order }: { order: PurchaseOrder }) {
  const found = plumbline.useQuery(
    'get',
    '/api/ext/purchase-orders/duplicates',
    { params: { query: { homeId: order.homeId, limit: MAX_SETS } } },
    { enabled: UNSENT_STATUSES.includes(order.status) },
  )
  const same = found.data?.sets.find(({ orders }) => orders.some(({ poId }) => poId === order.id))
  const others = same?.orders.filter(({ poId }) => poId !== order.id) ?? []
  if (!UNSENT_STATUSES.includes(order.status) || others.length === 0) return null
  return (
    <div className="banner" data-tone="warn">
      <Icon name="warn" />
      <div>
        <strong>This order may be a duplicate.</strong>{' '}
        <span className="muted">The vendor has the same total for this home on</span>{' '}
        {others.map(({ poId, number }, at) => (
          <span key={poId}>
            {at > 0 && ', '}
            <Link to={`/orders/${poId}`}>{number}</Link>
          </span>
        ))}
        .
      </div>
    </div>
  )
}
