import { useMemo, useState } from 'react'
import { Link } from 'react-router'
import type { Sale } from '../../../client/contract.gen.ts'
import { fetchRecordName } from '../../api/record-names.ts'
import { useCan } from '../../api/session.ts'
import { Status } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { humanizeName } from '../../ui/humanize-name.ts'
import { Listing } from '../../ui/listing.tsx'
import { Page } from '../../ui/page.tsx'
import { RecordName } from '../../ui/record-name.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { STATUS_LOOKS } from '../../ui/status-styles.ts'
import { type Column, EmptyCell } from '../../ui/table.tsx'
import { formatList } from '../../ui/text-formats.ts'
import { useFormats } from '../../ui/use-formats.ts'
import { SaleForm } from './sale-form.tsx'
import { SalesTabs } from './sales-tabs.tsx'

const FILTERS = [
  {
    name: 'status',
    label: 'Status',
    options: Object.entries(STATUS_LOOKS.sale).map(([value, { word }]) => ({ value, label: word })),
  },
]

/** Lists sales, from reservation to closing. */
export function Component() {
  const can = useCan()
  const [isNew, setIsNew] = useState(false)
  const { money, day } = useFormats()
  const columns = useMemo<readonly Column<Sale>[]>(
    () => [
      {
        head: 'Sale',
        cell: ({ id, number, buyers }) => (
          <>
            <Link className="lead" to={`/sales/${id}`}>
              {formatList(buyers.map(({ name }) => name))}
            </Link>
            <span className="sub">{number}</span>
          </>
        ),
        csv: ({ number }) => number,
      },
      {
        head: 'Status',
        cell: ({ status }) => <Status of="sale" is={status} />,
        csv: ({ status }) => STATUS_LOOKS.sale[status].word,
      },
      {
        head: 'Home',
        cell: ({ homeId, lotNumber }) => (homeId === null ? `Lot ${lotNumber}` : <RecordName of="home" id={homeId} />),
        csv: ({ homeId, lotNumber }) => (homeId === null ? lotNumber : fetchRecordName('home', homeId)),
      },
      {
        head: 'Stage',
        cell: ({ stage }) => (stage === null ? <EmptyCell word="none open" /> : humanizeName(stage)),
        csv: ({ stage }) => stage,
      },
      {
        head: 'Stages done',
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
        cell: ({ targetCloseDate }) => (targetCloseDate === null ? <EmptyCell word="no date" /> : day(targetCloseDate)),
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
    <Page
      title="Sales"
      crumbs={[{ name: 'Sales', to: '/sales' }, { name: 'All' }]}
      actions={
        can('sales:write') && (
          <Button look="primary" onClick={() => setIsNew(true)}>
            New sale
          </Button>
        )
      }
    >
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
          <EmptyState icon="sales" title="No sales yet">
            Open a lead to create a sale, or create a sale without a lead.
          </EmptyState>
        }
      />
      {isNew && <SaleForm onClose={() => setIsNew(false)} />}
    </Page>
  )
}
