import type { CostCode } from '../../../client/contract.gen.ts'
import { fetchRecordName } from '../../api/record-names.ts'
import { humanizeName } from '../../ui/badge.tsx'
import { Listing } from '../../ui/listing.tsx'
import { Page } from '../../ui/page.tsx'
import { RecordName } from '../../ui/record-name.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { type Column, EmptyCell } from '../../ui/table.tsx'
import { ActionLink } from '../actions/action-link.tsx'
import { CatalogueTabs } from './catalogue-tabs.tsx'

const COLUMNS: readonly Column<CostCode>[] = [
  { head: 'Code', sort: 'code', cell: ({ code }) => <code>{code}</code>, csv: ({ code }) => code },
  { head: 'Name', cell: ({ name }) => name, csv: ({ name }) => name },
  {
    head: 'Parent',
    cell: ({ parentId }) =>
      parentId === null ? <EmptyCell word="top level" /> : <RecordName of="costCode" id={parentId} />,
    csv: ({ parentId }) => (parentId === null ? null : fetchRecordName('costCode', parentId)),
  },
  { head: 'Category', cell: ({ category }) => humanizeName(category), csv: ({ category }) => category },
  {
    head: 'Trade',
    cell: ({ scope }) => (scope === null ? <EmptyCell /> : humanizeName(scope)),
    csv: ({ scope }) => scope,
  },
  {
    head: 'Accounting',
    cell: ({ accountingId }) => accountingId ?? <EmptyCell word="not linked" />,
    csv: ({ accountingId }) => accountingId,
  },
]

const CATEGORIES = ['labor', 'material', 'subcontract', 'equipment', 'other', 'overhead']
const FILTERS = [
  { name: 'category', label: 'Category', options: CATEGORIES.map((value) => ({ value, label: humanizeName(value) })) },
]

/** Lists cost codes. */
export function Component() {
  return (
    <Page
      title="Cost codes"
      crumbs={[{ name: 'Catalog', to: '/catalogue' }, { name: 'Cost codes' }]}
      actions={<ActionLink to="createCostCode" word="New cost code" needs="budgets:write" />}
    >
      <div className="page-head">
        <h1>Cost codes</h1>
        <p>Accounting codes for budgets, orders, and prices.</p>
      </div>
      <CatalogueTabs />
      <Listing
        path="/api/ext/cost-codes"
        nouns={['code', 'codes']}
        columns={COLUMNS}
        keyOf={({ id }) => id}
        sort="code"
        searchIn="Code or name"
        filters={FILTERS}
        empty={
          <EmptyState icon="catalogue" title="No cost codes yet">
            Import cost codes from your accounting system through the API.
          </EmptyState>
        }
      />
    </Page>
  )
}
