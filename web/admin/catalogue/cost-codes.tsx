import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useSearchParams } from 'react-router'
import type { CostCode } from '../../../client/contract.gen.ts'
import { fetchAllRows } from '../../api/list-pages.ts'
import { fetchRecordName } from '../../api/record-names.ts'
import { useCan } from '../../api/session.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { humanizeName } from '../../ui/humanize-name.ts'
import { Listing } from '../../ui/listing.tsx'
import { Page } from '../../ui/page.tsx'
import { RecordName } from '../../ui/record-name.tsx'
import { EmptyState, LoadError } from '../../ui/states.tsx'
import { type Column, EmptyCell, Table } from '../../ui/table.tsx'
import { ViewTabs } from '../../ui/view-tabs.tsx'
import { CatalogueTabs } from './catalogue-tabs.tsx'
import { COST_CATEGORIES, CostCodeDialog } from './cost-code-form.tsx'
import { type CostCodeNode, flattenCostCodes } from './cost-code-tree.ts'

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

const FILTERS = [
  {
    name: 'category',
    label: 'Category',
    options: COST_CATEGORIES.map((value) => ({ value, label: humanizeName(value) })),
  },
]

/** A builder has fewer cost codes. The list shows the others. */
const MAX_CODES = 2000
const VIEWS = [
  { value: undefined, word: 'Tree' },
  { value: 'list', word: 'List' },
] as const

/** The code that the dialog creates or changes. */
interface Edited {
  code: CostCode | null
  parent: CostCode | null
}

/** Shows the cost codes as a tree that can be edited, or as a list with search and export. */
export function Component() {
  const can = useCan()
  const isList = useSearchParams()[0].get('view') === 'list'
  const [edited, setEdited] = useState<Edited | null>(null)
  const codes = useQuery({
    queryKey: ['cost code tree'],
    queryFn: async () => (await fetchAllRows('/api/ext/cost-codes', { sort: 'code' }, MAX_CODES)).rows,
  })
  const canChange = can('budgets:write')
  const create = canChange && (
    <Button look="primary" onClick={() => setEdited({ code: null, parent: null })}>
      New cost code
    </Button>
  )
  const empty = (
    <EmptyState icon="catalogue" title="No cost codes yet" actions={create}>
      Create cost codes, or import them from your accounting system.
    </EmptyState>
  )
  return (
    <Page title="Cost codes" crumbs={[{ name: 'Catalog', to: '/catalogue' }, { name: 'Cost codes' }]} actions={create}>
      <div className="page-head">
        <h1>Cost codes</h1>
        <p>Accounting codes for budgets, orders, and prices.</p>
      </div>
      <CatalogueTabs />
      <ViewTabs label="View" name="view" views={VIEWS} />
      {isList ? (
        <Listing
          path="/api/ext/cost-codes"
          nouns={['code', 'codes']}
          columns={COLUMNS}
          keyOf={({ id }) => id}
          sort="code"
          searchIn="Code or name"
          filters={FILTERS}
          empty={empty}
        />
      ) : codes.error !== null ? (
        <LoadError what="The cost codes" error={codes.error} onRetry={() => void codes.refetch()} />
      ) : codes.data?.length === 0 ? (
        empty
      ) : (
        <CostCodeTree codes={codes.data} onEdit={canChange ? setEdited : null} />
      )}
      {edited !== null && (
        <CostCodeDialog
          code={codes.data?.find(({ id }) => id === edited.code?.id) ?? edited.code}
          parent={edited.parent}
          codes={codes.data ?? []}
          onClose={() => setEdited(null)}
        />
      )}
    </Page>
  )
}

function CostCodeTree(props: { codes: readonly CostCode[] | undefined; onEdit: ((edited: Edited) => void) | null }) {
  const { codes, onEdit } = props
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set())
  const toggle = (id: string) =>
    setClosed(closed.has(id) ? new Set([...closed].filter((one) => one !== id)) : new Set([...closed, id]))
  const columns: readonly Column<CostCodeNode>[] = [
    {
      head: 'Code',
      cell: ({ code: { id, code, name }, depth, childCount }) => (
        <span className="tree-cell" style={{ paddingInlineStart: depth * 20 }}>
          {childCount > 0 ? (
            <IconButton
              icon={closed.has(id) ? 'right' : 'down'}
              label={`${closed.has(id) ? 'Show' : 'Hide'} the codes below ${code}`}
              aria-expanded={!closed.has(id)}
              look="quiet"
              small
              onClick={() => toggle(id)}
            />
          ) : (
            <span className="tree-gap" />
          )}
          <code>{code}</code> {name}
        </span>
      ),
    },
    { head: 'Category', cell: ({ code: { category } }) => humanizeName(category) },
    {
      head: 'Trade',
      cell: ({ code: { scope } }) => (scope === null ? <EmptyCell /> : humanizeName(scope)),
    },
    {
      head: 'Accounting',
      isWideOnly: true,
      cell: ({ code: { accountingId } }) => accountingId ?? <EmptyCell word="not linked" />,
    },
    ...(onEdit === null
      ? []
      : [
          {
            head: 'Actions',
            cell: ({ code }: CostCodeNode) => (
              <span className="row">
                <Button
                  small
                  look="quiet"
                  aria-label={`Edit ${code.code}`}
                  onClick={() => onEdit({ code, parent: null })}
                >
                  Edit
                </Button>
                <Button
                  small
                  look="quiet"
                  aria-label={`Add below ${code.code}`}
                  onClick={() => onEdit({ code: null, parent: code })}
                >
                  Add below
                </Button>
              </span>
            ),
          },
        ]),
  ]
  return (
    <div className="table-wrap">
      <Table
        caption="Cost codes"
        columns={columns}
        rows={codes === undefined ? undefined : flattenCostCodes(codes, closed)}
        keyOf={({ code }) => code.id}
      />
    </div>
  )
}
