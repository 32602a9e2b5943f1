import { useMemo } from 'react'
import { Link } from 'react-router'
import type { Option } from '../../../client/contract.gen.ts'
import { inWords } from '../../ui/badge.tsx'
import { percent } from '../../ui/figures.ts'
import { Listing } from '../../ui/listing.tsx'
import { useFormats } from '../../ui/organization.ts'
import { Page } from '../../ui/page.tsx'
import { Empty } from '../../ui/states.tsx'
import { type Column, None } from '../../ui/table.tsx'
import { CatalogueTabs } from './catalogue-tabs.tsx'
import { cutoffOf } from './cutoff.ts'

const choices = (values: readonly string[]) => values.map((value) => ({ value, label: inWords(value) }))

const FILTERS = [
  { name: 'status', label: 'Status', options: choices(['draft', 'active', 'retired']) },
  {
    name: 'optionType',
    label: 'Type',
    options: choices(['structural', 'design', 'upgrade', 'credit', 'allowance']),
  },
]

/** Lists options that buyers can choose. */
export function Component() {
  const { money } = useFormats()
  const columns = useMemo<readonly Column<Option>[]>(
    () => [
      {
        head: 'Option',
        sort: 'name',
        cell: ({ id, name, code }) => (
          <>
            <Link className="lead" to={`/catalogue/options/${id}`}>
              {name}
            </Link>
            <span className="sub">{code}</span>
          </>
        ),
        csv: ({ name }) => name,
      },
      { head: 'Status', cell: ({ status }) => inWords(status), csv: ({ status }) => status },
      { head: 'Type', cell: ({ optionType }) => inWords(optionType), csv: ({ optionType }) => optionType },
      {
        head: 'Category',
        isWideOnly: true,
        cell: ({ category }) => category ?? <None />,
        csv: ({ category }) => category,
      },
      {
        head: 'Choose by',
        cell: cutoffOf,
        csv: cutoffOf,
      },
      {
        head: 'Cost',
        numeric: true,
        cell: ({ cost }) => (cost === null ? <None word="from its parts" /> : money(cost)),
        csv: ({ cost }) => cost,
      },
      {
        head: 'Price',
        numeric: true,
        cell: ({ price, marginPercent }) =>
          price !== null ? money(price) : marginPercent === null ? 'at cost' : `${percent(marginPercent)} margin`,
        csv: ({ price }) => price,
      },
    ],
    [money],
  )
  return (
    <Page title="Options" crumbs={[{ name: 'Catalog', to: '/catalogue' }, { name: 'Options' }]}>
      <div className="page-head">
        <h1>Options</h1>
        <p>Options that buyers can add to a plan.</p>
      </div>
      <CatalogueTabs />
      <Listing
        path="/api/ext/options"
        nouns={['option', 'options']}
        columns={columns}
        keyOf={({ id }) => id}
        sort="name"
        searchIn="Name or code"
        filters={FILTERS}
        empty={
          <Empty icon="catalogue" title="No options yet">
            Add options with price, takeoff and rules through the API.
          </Empty>
        }
      />
    </Page>
  )
}
