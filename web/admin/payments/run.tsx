import { useParams } from 'react-router'
import type { PaymentRun } from '../../../client/contract.gen.ts'
import { plumbline } from '../../api/plumbline.ts'
import { humanizeName } from '../../ui/humanize-name.ts'
import { Listing } from '../../ui/listing.tsx'
import { Page } from '../../ui/page.tsx'
import { Panel } from '../../ui/panel.tsx'
import { RecordName } from '../../ui/record-name.tsx'
import { EmptyState, LoadError, SkeletonLines } from '../../ui/states.tsx'
import { formatCount } from '../../ui/text-formats.ts'
import { TitleBlock } from '../../ui/title-block.tsx'
import { useFormats } from '../../ui/use-formats.ts'
import { RecordActions } from '../actions/record-actions.tsx'
import { usePaymentColumns } from './payment-columns.tsx'
import { SkippedOrders } from './skipped-orders.tsx'

/** Shows one payment run: the payments that it created and the orders that it skipped. */
export function Component() {
  const { paymentRunId = '' } = useParams()
  const run = plumbline.useQuery('get', '/api/ext/payment-runs/{paymentRunId}', { params: { path: { paymentRunId } } })
  const number = run.data?.number ?? 'Payment run'
  const crumbs = [{ name: 'Payments', to: '/payments' }, { name: 'Runs', to: '/payments/runs' }, { name: number }]
  return (
    <Page title={number} crumbs={crumbs} actions={<RecordActions field="paymentRunId" id={paymentRunId} />}>
      {run.error !== null ? (
        <LoadError what="The run" error={run.error} onRetry={() => void run.refetch()} />
      ) : run.data === undefined ? (
        <SkeletonLines lines={6} />
      ) : (
        <RunDetails run={run.data} />
      )}
    </Page>
  )
}

function RunDetails({ run }: { run: PaymentRun }) {
  const { cents, day, time } = useFormats()
  return (
    <>
      <TitleBlock
        name={run.number}
        sub={`made ${time(run.createdAt)}`}
        facts={[
          { label: 'Amount', isFigure: true, value: cents(run.amount), note: 'before discounts' },
          {
            label: 'Discounts',
            isFigure: true,
            value: cents(run.discountAmount),
            note: 'if paid by the discount date',
          },
          { label: 'Payments', isFigure: true, value: run.paymentIds.length },
          { label: 'Skipped amounts', isFigure: true, value: run.skipped.length },
          { label: 'Due through', isWideOnly: true, value: day(run.throughDate) },
          {
            label: 'Community',
            isWideOnly: true,
            value: run.communityId === null ? 'all' : <RecordName of="community" id={run.communityId} />,
            note: `by ${humanizeName(run.method).toLowerCase()}`,
          },
        ]}
      />
      <h2>{formatCount(run.paymentIds.length, 'payment')}</h2>
      <Listing
        path="/api/ext/payments"
        nouns={['payment', 'payments']}
        columns={usePaymentColumns(true)}
        keyOf={({ id }) => id}
        sort="number"
        query={{ paymentRunId: run.id }}
        empty={<EmptyState icon="payments" title="No payments in this run" />}
      />
      {run.skipped.length > 0 && (
        <Panel title="Skipped" hint="at the time of the run" isFlush>
          <SkippedOrders skips={run.skipped} />
        </Panel>
      )}
    </>
  )
}
