import { useMemo } from 'react'
import { useSearchParams } from 'react-router'
import type { Filter } from '../../ui/filter.tsx'
import { humanizeName } from '../../ui/humanize-name.ts'
import { Listing } from '../../ui/listing.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { STATUS_LOOKS } from '../../ui/status-styles.ts'
import { useOrderColumns } from '../orders/order-columns.tsx'
import { usePaymentColumns } from '../payments/payment-columns.tsx'

function statusFilter(kind: 'order' | 'payment'): Filter {
  const options = Object.entries(STATUS_LOOKS[kind]).map(([value, { word }]) => ({ value, label: word }))
  return { name: 'status', label: 'Status', options }
}

/** Lists the home's orders. The budget page links here with a trade as the filter. */
export function HomeOrders({ homeId }: { homeId: string }) {
  const scope = useSearchParams()[0].get('scope')
  const filters = useMemo(
    () => [
      statusFilter('order'),
      ...(scope === null
        ? []
        : [{ name: 'scope', label: 'Trade', options: [{ value: scope, label: humanizeName(scope) }] }]),
    ],
    [scope],
  )
  return (
    <Listing
      path="/api/ext/purchase-orders"
      nouns={['order', 'orders']}
      columns={useOrderColumns(false)}
      keyOf={({ id }) => id}
      sort="number"
      searchIn="Number, notes, or lines"
      filters={filters}
      query={{ homeId }}
      empty={
        <EmptyState icon="orders" title="No orders yet">
          Award a bid, or create an order manually.
        </EmptyState>
      }
    />
  )
}

const PAYMENT_FILTERS = [statusFilter('payment')]

export function HomePayments({ homeId }: { homeId: string }) {
  return (
    <Listing
      path="/api/ext/payments"
      nouns={['payment', 'payments']}
      columns={usePaymentColumns(false)}
      keyOf={({ id }) => id}
      sort="-createdAt"
      searchIn="Number or invoice"
      filters={PAYMENT_FILTERS}
      query={{ homeId }}
      empty={
        <EmptyState icon="payments" title="No payments yet">
          Record progress on an order, then pay it with a payment run.
        </EmptyState>
      }
    />
  )
}
