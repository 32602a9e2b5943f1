import { useMemo, useState } from 'react'
import { Link } from 'react-router'
import type { Plan } from '../../../client/contract.gen.ts'
import { useCan } from '../../api/session.ts'
import { Button } from '../../ui/button.tsx'
import { humanizeName } from '../../ui/humanize-name.ts'
import { Listing } from '../../ui/listing.tsx'
import { formatQuantity } from '../../ui/number-formats.ts'
import { Page } from '../../ui/page.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { type Column, EmptyCell } from '../../ui/table.tsx'
import { useFormats } from '../../ui/use-formats.ts'
import { CatalogueTabs } from './catalogue-tabs.tsx'
import { PlanDialog } from './plan-form.tsx'

const FILTERS = [
  {
    name: 'status',
    label: 'Status',
    options: ['draft', 'released', 'retired'].map((value) => ({ value, label: humanizeName(value) })),
  },
]

const figureColumn = (head: string, of: (plan: Plan) => number | null): Column<Plan> => ({
  head,
  numeric: true,
  cell: (plan) => {
    const value = of(plan)
    return value === null ? <EmptyCell word="not specified" /> : formatQuantity(value)
  },
  csv: of,
})

/** Lists the newest revision of each plan. */
export function Component() {
  const can = useCan()
  const [isNew, setIsNew] = useState(false)
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
            {humanizeName(status)} <span className="faint">revision {revision}</span>
          </>
        ),
        csv: ({ status }) => status,
      },
      figureColumn('Square feet', ({ squareFeet }) => squareFeet),
      figureColumn('Bedrooms', ({ bedrooms }) => bedrooms),
      figureColumn('Bathrooms', ({ bathrooms }) => bathrooms),
      {
        head: 'Elevations',
        cell: ({ elevations }) =>
          elevations.length === 0 ? <EmptyCell /> : elevations.map(({ code }) => code).join(', '),
        csv: ({ elevations }) => elevations.length,
      },
      {
        head: 'Base price',
        numeric: true,
        cell: ({ basePrice }) => (basePrice === null ? <EmptyCell word="no price" /> : money(basePrice)),
        csv: ({ basePrice }) => basePrice,
      },
    ],
    [money],
  )
  return (
    <Page
      title="Plans"
      crumbs={[{ name: 'Catalog' }]}
      actions={
        can('options:write') && (
          <Button look="primary" onClick={() => setIsNew(true)}>
            New plan
          </Button>
        )
      }
    >
      <div className="page-head">
        <h1>Plans</h1>
        <p>Home plans with their revisions and base prices.</p>
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
          <EmptyState icon="catalogue" title="No plans yet">
            Add a plan with its elevations, and then its takeoff.
          </EmptyState>
        }
      />
      {isNew && <PlanDialog plan={null} onClose={() => setIsNew(false)} />}
    </Page>
  )
}
