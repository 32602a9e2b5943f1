import { useState } from 'react'
import { Link } from 'react-router'
import type { Part } from '../../../client/contract.gen.ts'
import { fetchRecordName } from '../../api/record-names.ts'
import { useCan } from '../../api/session.ts'
import { Button } from '../../ui/button.tsx'
import { humanizeName } from '../../ui/humanize-name.ts'
import { Listing } from '../../ui/listing.tsx'
import { Page } from '../../ui/page.tsx'
import { RecordName } from '../../ui/record-name.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { type Column, EmptyCell } from '../../ui/table.tsx'
import { formatCount } from '../../ui/text-formats.ts'
import { CatalogueTabs } from './catalogue-tabs.tsx'
import { PartDialog } from './part-form.tsx'

const COLUMNS: readonly Column<Part>[] = [
  {
    head: 'Part',
    sort: 'name',
    cell: ({ id, name }) => (
      <Link className="lead" to={`/catalogue/parts/${id}`}>
        {name}
      </Link>
    ),
    csv: ({ name }) => name,
  },
  { head: 'SKU', sort: 'sku', cell: ({ sku }) => <code>{sku}</code>, csv: ({ sku }) => sku },
  {
    head: 'Trade',
    cell: ({ scope }) => (scope === null ? <EmptyCell /> : humanizeName(scope)),
    csv: ({ scope }) => scope,
  },
  {
    head: 'Cost code',
    cell: ({ costCodeId }) => (costCodeId === null ? <EmptyCell /> : <RecordName of="costCode" id={costCodeId} />),
    csv: ({ costCodeId }) => (costCodeId === null ? null : fetchRecordName('costCode', costCodeId)),
  },
  { head: 'Unit', cell: ({ unit }) => unit, csv: ({ unit }) => unit },
  {
    head: 'Lead time',
    numeric: true,
    cell: ({ leadTimeDays }) =>
      leadTimeDays === null ? <EmptyCell word="not set" /> : formatCount(leadTimeDays, 'day'),
    csv: ({ leadTimeDays }) => leadTimeDays,
  },
]

/** Lists parts. The page of each part shows its prices. */
export function Component() {
  const can = useCan()
  const [isNew, setIsNew] = useState(false)
  return (
    <Page
      title="Parts and prices"
      crumbs={[{ name: 'Catalog', to: '/catalogue' }, { name: 'Parts' }]}
      actions={
        can('parts:write') && (
          <>
            {can('skills:write') && (
              <Link className="btn" to="/catalogue/parts/change-prices">
                Change prices
              </Link>
            )}
            <Button look="primary" onClick={() => setIsNew(true)}>
              New part
            </Button>
          </>
        )
      }
    >
      <div className="page-head">
        <h1>Parts and prices</h1>
        <p>Parts used in homes and the vendor prices for them.</p>
      </div>
      <CatalogueTabs />
      <Listing
        path="/api/ext/parts"
        nouns={['part', 'parts']}
        columns={COLUMNS}
        keyOf={({ id }) => id}
        sort="name"
        searchIn="Name or SKU"
        empty={
          <EmptyState icon="catalogue" title="No parts yet">
            Create parts, or import them from a spreadsheet.
          </EmptyState>
        }
      />
      {isNew && <PartDialog part={null} onClose={() => setIsNew(false)} />}
    </Page>
  )
}
