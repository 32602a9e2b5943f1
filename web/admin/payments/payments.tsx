import { useMemo } from 'react'
import type { Filter } from '../../ui/filter.tsx'
import { humanizeName } from '../../ui/humanize-name.ts'
import { Listing } from '../../ui/listing.tsx'
import { Page } from '../../ui/page.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { STATUS_LOOKS } from '../../ui/status-styles.ts'
import { ActionLink } from '../actions/action-link.tsx'
import { usePaymentColumns } from './payment-columns.tsx'
import { PaymentsTabs } from './payments-tabs.tsx'

const TYPES = ['progress', 'final', 'retainage_release', 'deposit', 'adjustment'] as const

/** Lists all payments, including those from payment runs. */
export function Component() {
  const filters = useMemo<readonly Filter[]>(
    () => [
      {
        name: 'status',
        label: 'Status',
        options: Object.entries(STATUS_LOOKS.payment).map(([value, { word }]) => ({ value, label: word })),
      },
      { name: 'paymentType', label: 'Type', options: TYPES.map((value) => ({ value, label: humanizeName(value) })) },
    ],
    [],
  )
  return (
    <Page
      title="Payments"
      crumbs={[{ name: 'Payments', to: '/payments' }, { name: 'All' }]}
      actions={<ActionLink to="createPayment" word="New payment" needs="payments:write" />}
    >
      <div className="page-head">
        <h1>Payments</h1>
        <p>Planned and completed payments to vendors.</p>
      </div>
      <PaymentsTabs />
      <Listing
        path="/api/ext/payments"
        nouns={['payment', 'payments']}
        columns={usePaymentColumns(true)}
        keyOf={({ id }) => id}
        sort="-createdAt"
        searchIn="Number or invoice"
        filters={filters}
        empty={
          <EmptyState icon="payments" title="No payments yet">
            A payment run creates one payment per vendor. To add a single payment, use the API.
          </EmptyState>
        }
      />
    </Page>
  )
}
