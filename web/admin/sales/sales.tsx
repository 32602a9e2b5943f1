import { useMemo } from 'react'
import { Link } from 'react-router'
import type { Sale } from '../../../client/contract.gen.ts'
import { nameOf } from '../../api/names.ts'
import { inWords, Status } from '../../ui/badge.tsx'
import { Listing } from '../../ui/listing.tsx'
import { LOOKS } from '../../ui/looks.ts'
import { Name } from '../../ui/name.tsx'
import { useFormats } from '../../ui/organization.ts'
import { Page } from '../../ui/page.tsx'
import { Empty } from '../../ui/states.tsx'
import { type Column, None } from '../../ui/table.tsx'
import { listed } from '../../ui/words.ts'
import { SalesTabs } from './sales-tabs.tsx'

const FILTERS = [
  {
    name: 'status',
    label: 'Status',
    options: Object.entries(LOOKS.sale).map(([value, { word }]) => ({ value, label: word })),
  },
]

/** Lists sales, from reservation to closing. */
export function Component() {
  const { money, day } = useFormats()
  const columns = useMemo<readonly Column<Sale>[]>(
    () => [
      {
        head: 'Sale',
        cell: ({ id, number, buyers }) => (
          <>
            <Link className="lead" to={`/sales/${id}`}>
              {listed(buyers.map(({ name }) => name))}
            </Link>
            <span className="sub">{number}</span>
          </>
        ),
        csv: ({ number }) => number,
      },
      {
        head: 'Status',
        cell: ({ status }) => <Status of="sale" is={status} />,
        csv: ({ status }) => LOOKS.sale[status].word,
      },
      {
        head: 'Home',
        cell: ({ homeId, lotNumber }) => (homeId === null ? `Lot ${lotNumber}` : <Name of="home" id={homeId} />),
        csv: ({ homeId, lotNumber }) => (homeId === null ? lotNumber : nameOf('home', homeId)),
      },
      {
        head: 'Stage',
        cell: ({ stage }) => (stage === null ? <None word="none open" /> : inWords(stage)),
        csv: ({ stage }) => stage,
      },
      {
        head: 'Done',
        numeric: true,
        cell: ({ pipeline }) => `${pipeline.filter(({ status }) => status !== 'open').length} of ${pipeline.length}`,
      },
      {
        head: 'Price',
        numeric: true,
        cell: ({ totalPrice }) => money(totalPrice),
        csv: ({ totalPrice }) => totalPrice,
      },
      {
        head: 'Deposits due',
        numeric: true,
        isWideOnly: true,
        cell: ({ depositsOutstanding }) => money(depositsOutstanding),
        csv: ({ depositsOutstanding }) => depositsOutstanding,
      },
      {
        head: 'Closing',
        className: 'nowrap',
        cell: ({ targetCloseDate }) => (targetCloseDate === null ? <None word="no date" /> : day(targetCloseDate)),
        csv: ({ targetCloseDate }) => targetCloseDate,
      },
      {
        head: 'Sold',
        sort: 'saleDate',
        className: 'nowrap',
        isWideOnly: true,
        cell: ({ saleDate }) => day(saleDate),
        csv: ({ saleDate }) => saleDate,
      },
    ],
    [money, day],
  )
  return (
    <Page title="Sales" crumbs={[{ name: 'Sales', to: '/sales' }, { name: 'All' }]}>
      <div className="page-head">
        <h1>Sales</h1>
        <p>Sales and their stages, from contract to closing.</p>
      </div>
      <SalesTabs />
      <Listing
        path="/api/ext/sales"
        nouns={['sale', 'sales']}
        columns={columns}
        keyOf={({ id }) => id}
        sort="-saleDate"
        searchIn="Number or buyer"
        filters={FILTERS}
        empty={
          <Empty icon="sales" title="No sales yet">
            Open a lead to create a sale, or create one through the API.
          </Empty>
        }
      />
    </Page>
  )
}
