import { useMemo } from 'react'
import { Link } from 'react-router'
import type { PaymentRun } from '../../../client/contract.gen.ts'
import { humanizeName } from '../../ui/humanize-name.ts'
import { Listing } from '../../ui/listing.tsx'
import { Page } from '../../ui/page.tsx'
import { RecordName } from '../../ui/record-name.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { type Column, EmptyCell } from '../../ui/table.tsx'
import { useFormats } from '../../ui/use-formats.ts'
import { ActionLink } from '../actions/action-link.tsx'
import { PaymentsTabs } from './payments-tabs.tsx'

/** Lists payment runs. */
export function Component() {
  const { cents, day } = useFormats()
  const columns = useMemo<readonly Column<PaymentRun>[]>(
    () => [
      {
        head: 'Run',
        sort: 'number',
        cell: ({ id, number }) => (
          <Link className="lead" to={`/payments/runs/${id}`}>
            {number}
          </Link>
        ),
        csv: ({ number }) => number,
      },
      { head: 'Due through', cell: ({ throughDate }) => day(throughDate), csv: ({ throughDate }) => throughDate },
      {
        head: 'Community',
        cell: ({ communityId }) =>
          communityId === null ? <EmptyCell word="all" /> : <RecordName of="community" id={communityId} />,
      },
      { head: 'Method', cell: ({ method }) => humanizeName(method), csv: ({ method }) => method },
      {
        head: 'Payments',
        numeric: true,
        cell: ({ paymentIds }) => paymentIds.length,
        csv: ({ paymentIds }) => paymentIds.length,
      },
      { head: 'Skipped', numeric: true, cell: ({ skipped }) => skipped.length, csv: ({ skipped }) => skipped.length },
      { head: 'Amount', numeric: true, cell: ({ amount }) => cents(amount), csv: ({ amount }) => amount },
    ],
    [cents, day],
  )
  return (
    <Page
      title="Payment runs"
      crumbs={[{ name: 'Payments', to: '/payments' }, { name: 'Runs' }]}
      actions={<ActionLink to="createPaymentRun" word="New payment run" needs="payments:write" />}
    >
      <div className="page-head">
        <h1>Payments</h1>
        <p>Payment runs combine all amounts due into one payment per vendor.</p>
      </div>
      <PaymentsTabs />
      <Listing
        path="/api/ext/payment-runs"
        nouns={['run', 'runs']}
        columns={columns}
        keyOf={({ id }) => id}
        sort="-createdAt"
        empty={
          <EmptyState icon="payments" title="No runs yet">
            Use the Payable tab to preview and create a run.
          </EmptyState>
        }
      />
    </Page>
  )
}
