import { useMemo } from 'react'
import type { LienWaiver } from '../../../client/contract.gen.ts'
import { nameOf } from '../../api/names.ts'
import { inWords, Status } from '../../ui/badge.tsx'
import { Listing } from '../../ui/listing.tsx'
import { LOOKS } from '../../ui/looks.ts'
import { Name } from '../../ui/name.tsx'
import { useFormats } from '../../ui/organization.ts'
import { Page } from '../../ui/page.tsx'
import { Empty } from '../../ui/states.tsx'
import { type Column, None } from '../../ui/table.tsx'
import { PaymentsTabs } from './payments-tabs.tsx'

const TYPES = ['conditional_progress', 'unconditional_progress', 'conditional_final', 'unconditional_final'] as const

const FILTERS = [
  {
    name: 'status',
    label: 'Status',
    options: Object.entries(LOOKS.waiver).map(([value, { word }]) => ({ value, label: word })),
  },
  { name: 'waiverType', label: 'Type', options: TYPES.map((value) => ({ value, label: inWords(value) })) },
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
            <Name of="payment" id={paymentId} />
            <span className="sub">{inWords(waiverType)}</span>
          </>
        ),
        csv: ({ paymentId }) => nameOf('payment', paymentId),
      },
      {
        head: 'Status',
        cell: ({ status }) => <Status of="waiver" is={status} />,
        csv: ({ status }) => LOOKS.waiver[status].word,
      },
      {
        head: 'Vendor',
        cell: ({ vendorId }) => <Name of="vendor" id={vendorId} />,
        csv: ({ vendorId }) => nameOf('vendor', vendorId),
      },
      {
        head: 'Home',
        cell: ({ homeId }) => (homeId === null ? <None word="several" /> : <Name of="home" id={homeId} />),
        csv: ({ homeId }) => (homeId === null ? null : nameOf('home', homeId)),
      },
      {
        head: 'Work through',
        className: 'nowrap',
        cell: ({ throughDate }) => day(throughDate),
        csv: ({ throughDate }) => throughDate,
      },
      {
        head: 'Signed',
        cell: ({ signedBy, signedOn }) =>
          signedOn === null ? <None word="not yet" /> : `${day(signedOn)} by ${signedBy}`,
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
          <Empty icon="payments" title="No lien waivers yet">
            Request a lien waiver from the page of a payment.
          </Empty>
        }
      />
    </Page>
  )
}
