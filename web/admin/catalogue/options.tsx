import { useMemo, useState } from 'react'
import { Link } from 'react-router'
import type { Option } from '../../../client/contract.gen.ts'
import { useCan } from '../../api/session.ts'
import { Button } from '../../ui/button.tsx'
import { humanizeName } from '../../ui/humanize-name.ts'
import { Listing } from '../../ui/listing.tsx'
import { formatPercent } from '../../ui/number-formats.ts'
import { Page } from '../../ui/page.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { type Column, EmptyCell } from '../../ui/table.tsx'
import { useFormats } from '../../ui/use-formats.ts'
import { CatalogueTabs } from './catalogue-tabs.tsx'
import { describeCutoff } from './cutoff.ts'
import { OptionDialog } from './option-form.tsx'

const toChoices = (values: readonly string[]) => values.map((value) => ({ value, label: humanizeName(value) }))

const FILTERS = [
  { name: 'status', label: 'Status', options: toChoices(['draft', 'active', 'retired']) },
  {
    name: 'optionType',
    label: 'Type',
    options: toChoices(['structural', 'design', 'upgrade', 'credit', 'allowance']),
  },
]

/** Lists options that buyers can choose. */
export function Component() {
  const can = useCan()
  const [isNew, setIsNew] = useState(false)
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
      { head: 'Status', cell: ({ status }) => humanizeName(status), csv: ({ status }) => status },
      { head: 'Type', cell: ({ optionType }) => humanizeName(optionType), csv: ({ optionType }) => optionType },
      {
        head: 'Category',
        isWideOnly: true,
        cell: ({ category }) => category ?? <EmptyCell />,
        csv: ({ category }) => category,
      },
      {
        head: 'Deadline',
        cell: describeCutoff,
        csv: describeCutoff,
      },
      {
        head: 'Cost',
        numeric: true,
        cell: ({ cost }) => (cost === null ? <EmptyCell word="from its parts" /> : money(cost)),
        csv: ({ cost }) => cost,
      },
      {
        head: 'Price',
        numeric: true,
        cell: ({ price, marginPercent }) =>
          price !== null ? money(price) : marginPercent === null ? 'at cost' : `${formatPercent(marginPercent)} margin`,
        csv: ({ price }) => price,
      },
    ],
    [money],
  )
  return (
    <Page
      title="Options"
      crumbs={[{ name: 'Catalog', to: '/catalogue' }, { name: 'Options' }]}
      actions={
        can('options:write') && (
          <Button look="primary" onClick={() => setIsNew(true)}>
            New option
          </Button>
        )
      }
    >
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
          <EmptyState icon="catalogue" title="No options yet">
            Add an option with its price, rules, and takeoff.
          </EmptyState>
        }
      />
      {isNew && <OptionDialog option={null} onClose={() => setIsNew(false)} />}
    </Page>
  )
}
