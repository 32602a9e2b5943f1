import { Link, useLocation, useSearchParams } from 'react-router'
import type { PurchaseOrderStatus } from '../../../client/contract.gen.ts'
import { STATUS_LOOKS } from '../../ui/status-styles.ts'

const STATUSES: readonly PurchaseOrderStatus[] = ['draft', 'approved', 'issued', 'accepted', 'declined', 'completed']

/** Shows the tabs for orders: the approval queue and the lists by status. */
export function OrdersTabs({ waiting }: { waiting?: number }) {
  const { pathname } = useLocation()
  const status = useSearchParams()[0].get('status')
  const isList = pathname === '/orders'
  return (
    <nav className="tabs" aria-label="Orders">
      <Link to="/orders/approvals" aria-current={isList ? undefined : 'page'}>
        To approve {waiting !== undefined && waiting > 0 && <span className="count">{waiting}</span>}
      </Link>
      {STATUSES.map((one) => (
        <Link key={one} to={`/orders?status=${one}`} aria-current={isList && status === one ? 'page' : undefined}>
          {STATUS_LOOKS.order[one].word}
        </Link>
      ))}
      <Link to="/orders" aria-current={isList && status === null ? 'page' : undefined}>
        All
      </Link>
    </nav>
  )
}
