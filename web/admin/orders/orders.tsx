import { useMemo } from 'react'
import { Link } from 'react-router'
import { useListPage } from '../../api/list-pages.ts'
import { useCan } from '../../api/session.ts'
import { useLiveUpdates } from '../../api/use-live-updates.ts'
import type { Filter } from '../../ui/filter.tsx'
import { humanizeName } from '../../ui/humanize-name.ts'
import { Listing } from '../../ui/listing.tsx'
import { Page } from '../../ui/page.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { useOrderColumns } from './order-columns.tsx'
import { OrdersTabs } from './orders-tabs.tsx'

const TABS = ['status'] as const
const TYPES = ['base', 'option', 'change', 'variance', 'backcharge', 'service'] as const
const MAX_NAMED = 200

/** Lists all orders. */
export function Component() {
  useLiveUpdates('at ease')
  const can = useCan()
  const named = { limit: MAX_NAMED, sort: 'companyName' } as const
  const vendors = useListPage('/api/ext/vendors', named, { enabled: can('vendors:read') }).data?.data
  const filters = useMemo<readonly Filter[]>(
    () => [
      {
        name: 'vendorId',
        label: 'Vendor',
        options: (vendors ?? []).map(({ id, companyName }) => ({ value: id, label: companyName })),
      },
      { name: 'poType', label: 'Type', options: TYPES.map((value) => ({ value, label: humanizeName(value) })) },
    ],
    [vendors],
  )
  return (
    <Page
      title="Orders"
      crumbs={[{ name: 'Orders' }]}
      actions={
        can('pos:write') && (
          <>
            {can('skills:write') && (
              <Link className="btn" to="/orders/issue">
                Issue orders
              </Link>
            )}
            <Link className="btn primary" to="/orders/new">
              New order
            </Link>
          </>
        )
      }
    >
      <div className="page-head">
        <h1>Orders</h1>
        <p>Purchase orders by home, with their approval and payment status.</p>
      </div>
      <OrdersTabs />
      <Listing
        path="/api/ext/purchase-orders"
        nouns={['order', 'orders']}
        columns={useOrderColumns(true)}
        keyOf={({ id }) => id}
        sort="-createdAt"
        searchIn="Number, notes, or lines"
        tabs={TABS}
        filters={filters}
        empty={
          <EmptyState icon="orders" title="No orders yet">
            Award a bid, or create an order manually.
          </EmptyState>
        }
      />
    </Page>
  )
}
