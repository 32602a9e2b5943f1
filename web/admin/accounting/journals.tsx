import { Link } from 'react-router'
import type { Journal, JournalType } from '../../../client/contract.gen.ts'
import { useCan } from '../../api/session.ts'
import { ActorName } from '../../ui/actor-name.tsx'
import { Listing } from '../../ui/listing.tsx'
import { Page } from '../../ui/page.tsx'
import { RecordName } from '../../ui/record-name.tsx'
import { EmptyState } from '../../ui/states.tsx'
import type { Column } from '../../ui/table.tsx'
import { formatCount } from '../../ui/text-formats.ts'
import { useFormats } from '../../ui/use-formats.ts'
import { AccountingTabs } from './accounting-tabs.tsx'

export const JOURNAL_WORDS = {
  journal: 'Journal',
  transfer: 'Cost transfer',
  reversal: 'Reversal',
} as const satisfies Record<JournalType, string>

/** Lists manual entries in the cost ledger: journals, cost transfers, and reversals. */
export function Component() {
  const can = useCan()
  const columns = useColumns()
  const actions = can('ledger:write') && (
    <>
      <Link className="btn" to="/accounting/journals/new?kind=transfer">
        Transfer cost
      </Link>
      <Link className="btn primary" to="/accounting/journals/new">
        New journal
      </Link>
    </>
  )
  return (
    <Page title="Journals" crumbs={[{ name: 'Accounting', to: '/accounting' }, { name: 'Journals' }]} actions={actions}>
      <div className="page-head">
        <h1>Journals</h1>
        <p>Costs that no order, bill, or timesheet records, and costs moved between homes.</p>
      </div>
      <AccountingTabs />
      <Listing
        path="/api/ext/ledger/journals"
        nouns={['journal', 'journals']}
        columns={columns}
        keyOf={({ id }) => id}
        sort="-createdAt"
        empty={
          <EmptyState icon="orders" title="No journals yet" actions={actions}>
            Record a permit fee, or move a cost to the correct home.
          </EmptyState>
        }
      />
    </Page>
  )
}

function useColumns(): readonly Column<Journal>[] {
  const { day, cents } = useFormats()
  return [
    {
      head: 'Journal',
      cell: ({ id, number, note }) => (
        <>
          <Link className="lead" to={`/accounting/journals/${id}`}>
            {number}
          </Link>
          <span className="sub clip" title={note}>
            {note}
          </span>
        </>
      ),
      csv: ({ number }) => number,
    },
    {
      head: 'Type',
      cell: ({ journalType, reversedByEntryId }) => (
        <>
          {JOURNAL_WORDS[journalType]}
          {reversedByEntryId !== null && <span className="sub">reversed</span>}
        </>
      ),
      csv: ({ journalType }) => JOURNAL_WORDS[journalType],
    },
    { head: 'Date', className: 'nowrap', cell: (row) => day(row.effectiveDate), csv: (row) => row.effectiveDate },
    { head: 'Homes', cell: ({ lines }) => <HomeNames ids={lines.map(({ homeId }) => homeId)} /> },
    { head: 'Note', isOnlyExported: true, cell: ({ note }) => note, csv: ({ note }) => note },
    { head: 'Entered by', isWideOnly: true, cell: ({ createdBy }) => <ActorName of={createdBy} /> },
    { head: 'Amount', numeric: true, cell: ({ amount }) => cents(amount), csv: ({ amount }) => amount },
  ]
}

function HomeNames({ ids }: { ids: readonly string[] }) {
  const distinct = [...new Set(ids)]
  const [first] = distinct
  if (first === undefined) return null
  return (
    <>
      <RecordName of="home" id={first} />
      {distinct.length > 1 && <span className="sub">and {formatCount(distinct.length - 1, 'other')}</span>}
    </>
  )
}
