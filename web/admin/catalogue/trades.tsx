import { useState } from 'react'
import type { Scope } from '../../../client/contract.gen.ts'
import { useListPage } from '../../api/list-pages.ts'
import { fetchRecordName } from '../../api/record-names.ts'
import { useCan } from '../../api/session.ts'
import { Button } from '../../ui/button.tsx'
import { humanizeName } from '../../ui/humanize-name.ts'
import { Listing } from '../../ui/listing.tsx'
import { Page } from '../../ui/page.tsx'
import { RecordName } from '../../ui/record-name.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { type Column, EmptyCell } from '../../ui/table.tsx'
import { CatalogueTabs } from './catalogue-tabs.tsx'
import { TradeDialog } from './trade-form.tsx'

/** The distance between two positions, so that another trade fits between them. */
const SEQUENCE_STEP = 10
/** The largest position that the service accepts. */
const MAX_SEQUENCE = 9999

const COLUMNS: readonly Column<Scope>[] = [
  {
    head: 'Trade',
    sort: 'name',
    cell: ({ name }) => <span className="lead">{humanizeName(name)}</span>,
    csv: ({ name }) => name,
  },
  {
    head: 'Spanish name',
    cell: ({ spanishName }) =>
      spanishName === null ? <EmptyCell word="not translated" /> : <span lang="es">{spanishName}</span>,
    csv: ({ spanishName }) => spanishName,
  },
  {
    head: 'Position',
    sort: 'sequence',
    numeric: true,
    cell: ({ sequence }) => sequence,
    csv: ({ sequence }) => sequence,
  },
  {
    head: 'Code',
    isWideOnly: true,
    cell: ({ code }) => (code === null ? <EmptyCell /> : <code>{code}</code>),
    csv: ({ code }) => code,
  },
  {
    head: 'Cost code',
    cell: ({ defaultCostCodeId: id }) => (id === null ? <EmptyCell /> : <RecordName of="costCode" id={id} />),
    csv: ({ defaultCostCodeId: id }) => (id === null ? null : fetchRecordName('costCode', id)),
  },
]

/** Shows the trades in the order of construction. A user can add a trade, or change one. */
export function Component() {
  const can = useCan()
  // The trade that the dialog changes; null for a new trade.
  const [edited, setEdited] = useState<Scope | null>()
  const last = useListPage('/api/ext/scopes', { limit: 1, sort: '-sequence' }).data?.data[0]
  const canChange = can('vendors:write')
  const create = canChange && (
    <Button look="primary" onClick={() => setEdited(null)}>
      New trade
    </Button>
  )
  const columns: readonly Column<Scope>[] = canChange
    ? [
        ...COLUMNS,
        {
          head: 'Actions',
          cell: (trade) => (
            <Button small look="quiet" aria-label={`Edit ${trade.name}`} onClick={() => setEdited(trade)}>
              Edit
            </Button>
          ),
        },
      ]
    : COLUMNS
  return (
    <Page title="Trades" crumbs={[{ name: 'Catalog', to: '/catalogue' }, { name: 'Trades' }]} actions={create}>
      <div className="page-head">
        <h1>Trades</h1>
        <p>Kinds of work for bids, orders, budgets, and tasks, with their names in Spanish.</p>
      </div>
      <CatalogueTabs />
      <Listing
        path="/api/ext/scopes"
        nouns={['trade', 'trades']}
        columns={columns}
        keyOf={({ id }) => id}
        sort="sequence"
        searchIn="Name or code"
        empty={
          <EmptyState icon="catalogue" title="No trades yet" actions={create}>
            Create trades, or import vendors with their trades.
          </EmptyState>
        }
      />
      {edited !== undefined && (
        <TradeDialog
          trade={edited}
          nextSequence={Math.min((last?.sequence ?? 0) + SEQUENCE_STEP, MAX_SEQUENCE)}
          onClose={() => setEdited(undefined)}
        />
      )}
    </Page>
  )
}
