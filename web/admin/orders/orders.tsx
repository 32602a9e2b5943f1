import { useMemo } from 'react'
import { Link } from 'react-router'
import { useMay } from '../../api/caller.ts'
import { useLive } from '../../api/live.ts'
import { usePage } from '../../api/pages.ts'
import { inWords } from '../../ui/badge.tsx'
import type { Filter } from '../../ui/filter.tsx'
import { Listing } from '../../ui/listing.tsx'
import { Page } from '../../ui/page.tsx'
import { Empty } from '../../ui/states.tsx'
import { useOrderColumns } from './columns.tsx'
import { OrdersTabs } from './orders-tabs.tsx'

const TABS = ['status'] as const
const TYPES = ['base', 'option', 'change', 'variance', 'backcharge', 'service'] as const
const NAMED = 200

/** Lists all orders. */
export function Component() {
  useLive('at ease')
  const may = useMay()
  const named = { limit: NAMED, sort: 'companyName' } as const
  const vendors = usePage('/api/ext/vendors', named, { enabled: may('vendors:read') }).data?.data
  const filters = useMemo<readonly Filter[]>(
    () => [
      {
        name: 'vendorId',
        label: 'Vendor',
        options: (vendors ?? []).map(({ id, companyName }) => ({ value: id, label: companyName })),
      },
      { name: 'poType', label: 'Type', options: TYPES.map((value) => ({ value, label: inWords(value) })) },
    ],
    [vendors],
  )
  return (
    <Page
      title="Orders"
      crumbs={[{ name: 'Orders' }]}
      actions={
        may('pos:write') && (
          <Link className="btn primary keep" to="/orders/new">
            New order
          </Link>
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
        searchIn="Number, notes or lines"
        tabs={TABS}
        filters={filters}
        empty={
          <Empty icon="orders" title="No orders yet">
            Award a bid, or create an order manually.
          </Empty>
        }
      />
    </Page>
  )
}
