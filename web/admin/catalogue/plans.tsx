import { useMemo } from 'react'
import { Link } from 'react-router'
import type { Plan } from '../../../client/contract.gen.ts'
import { inWords } from '../../ui/badge.tsx'
import { quantity } from '../../ui/figures.ts'
import { Listing } from '../../ui/listing.tsx'
import { useFormats } from '../../ui/organization.ts'
import { Page } from '../../ui/page.tsx'
import { Empty } from '../../ui/states.tsx'
import { type Column, None } from '../../ui/table.tsx'
import { CatalogueTabs } from './catalogue-tabs.tsx'

const FILTERS = [
  {
    name: 'status',
    label: 'Status',
    options: ['draft', 'released', 'retired'].map((value) => ({ value, label: inWords(value) })),
  },
]

const figure = (head: string, of: (plan: Plan) => number | null): Column<Plan> => ({
  head,
  numeric: true,
  cell: (plan) => {
    const value = of(plan)
    return value === null ? <None word="not said" /> : quantity(value)
  },
  csv: of,
})

/** Lists house plans, each in its newest revision. */
export function Component() {
  const { money } = useFormats()
  const columns = useMemo<readonly Column<Plan>[]>(
    () => [
      {
        head: 'Plan',
        sort: 'name',
        cell: ({ id, name, code }) => (
          <>
            <Link className="lead" to={`/catalogue/plans/${id}`}>
              {name}
            </Link>
            <span className="sub">{code}</span>
          </>
        ),
        csv: ({ name }) => name,
      },
      {
        head: 'Status',
        cell: ({ status, revision }) => (
          <>
            {inWords(status)} <span className="faint">revision {revision}</span>
          </>
        ),
        csv: ({ status }) => status,
      },
      figure('Square feet', ({ squareFeet }) => squareFeet),
      figure('Bedrooms', ({ bedrooms }) => bedrooms),
      figure('Bathrooms', ({ bathrooms }) => bathrooms),
      {
        head: 'Elevations',
        cell: ({ elevations }) => (elevations.length === 0 ? <None /> : elevations.map(({ code }) => code).join(', ')),
        csv: ({ elevations }) => elevations.length,
      },
      {
        head: 'Base price',
        numeric: true,
        cell: ({ basePrice }) => (basePrice === null ? <None word="no price" /> : money(basePrice)),
        csv: ({ basePrice }) => basePrice,
      },
    ],
    [money],
  )
  return (
    <Page title="Plans" crumbs={[{ name: 'Catalog' }]}>
      <div className="page-head">
        <h1>Plans</h1>
        <p>House plans, their revisions and base prices.</p>
      </div>
      <CatalogueTabs />
      <Listing
        path="/api/ext/plans"
        nouns={['plan', 'plans']}
        columns={columns}
        keyOf={({ id }) => id}
        sort="name"
        searchIn="Name or code"
        filters={FILTERS}
        empty={
          <Empty icon="catalogue" title="No plans yet">
            Add plans with elevations and a takeoff through the API.
          </Empty>
        }
      />
    </Page>
  )
}
