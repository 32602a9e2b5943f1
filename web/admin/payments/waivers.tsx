import { useMemo } from 'react'
import type { LienWaiver } from '../../../client/contract.gen.ts'
import { fetchRecordName } from '../../api/record-names.ts'
import { Status } from '../../ui/badge.tsx'
import { humanizeName } from '../../ui/humanize-name.ts'
import { Listing } from '../../ui/listing.tsx'
import { Page } from '../../ui/page.tsx'
import { RecordName } from '../../ui/record-name.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { STATUS_LOOKS } from '../../ui/status-styles.ts'
import { type Column, EmptyCell } from '../../ui/table.tsx'
import { useFormats } from '../../ui/use-formats.ts'
import { PaymentsTabs } from './payments-tabs.tsx'

const TYPES = ['conditional_progress', 'unconditional_progress', 'conditional_final', 'unconditional_final'] as const

const FILTERS = [
  {
    name: 'status',
    label: 'Status',
    options: Object.entries(STATUS_LOOKS.waiver).map(([value, { word }]) => ({ value, label: word })),
  },
  { name: 'waiverType', label: 'Type', options: TYPES.map((value) => ({ value, label: humanizeName(value) })) },
]

/** Lists lien waivers that vendors sign for their payments. */
export function Component() {
  const { cents, day } = useFormats()
  const columns = useMemo<readonly Column<LienWaiver>[]>(
    () => [
      {
        head: 'Payment',
        cell: ({ paymentId, waiverType }) => (
          <>
            <RecordName of="payment" id={paymentId} />
            <span className="sub">{humanizeName(waiverType)}</span>
          </>
        ),
        csv: ({ paymentId }) => fetchRecordName('payment', paymentId),
      },
      {
        head: 'Status',
        cell: ({ status }) => <Status of="waiver" is={status} />,
        csv: ({ status }) => STATUS_LOOKS.waiver[status].word,
      },
      {
        head: 'Vendor',
        cell: ({ vendorId }) => <RecordName of="vendor" id={vendorId} />,
        csv: ({ vendorId }) => fetchRecordName('vendor', vendorId),
      },
      {
        head: 'Home',
        cell: ({ homeId }) => (homeId === null ? <EmptyCell word="several" /> : <RecordName of="home" id={homeId} />),
        csv: ({ homeId }) => (homeId === null ? null : fetchRecordName('home', homeId)),
      },
      {
        head: 'Covers work through',
        className: 'nowrap',
        cell: ({ throughDate }) => day(throughDate),
        csv: ({ throughDate }) => throughDate,
      },
      {
        head: 'Signed',
        cell: ({ signedBy, signedOn }) =>
          signedOn === null ? <EmptyCell word="not yet" /> : `${day(signedOn)} by ${signedBy}`,
        csv: ({ signedOn }) => signedOn,
      },
      { head: 'Amount', numeric: true, cell: ({ amount }) => cents(amount), csv: ({ amount }) => amount },
    ],
    [cents, day],
  )
  return (
    <Page title="Lien waivers" crumbs={[{ name: 'Payments', to: '/payments' }, { name: 'Lien waivers' }]}>
      <div className="page-head">
        <h1>Payments</h1>
        <p>Lien waivers from vendors, with their signature and review status.</p>
      </div>
      <PaymentsTabs />
      <Listing
        path="/api/ext/lien-waivers"
        nouns={['waiver', 'waivers']}
        columns={columns}
        keyOf={({ id }) => id}
        sort="-createdAt"
        filters={FILTERS}
        empty={
          <EmptyState icon="payments" title="No lien waivers yet">
            Request a lien waiver from the page of a payment.
          </EmptyState>
        }
      />
    </Page>
  )
}
