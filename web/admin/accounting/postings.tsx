import { useMemo } from 'react'
import { Link, useSearchParams } from 'react-router'
import type { Measure, Posting } from '../../../client/contract.gen.ts'
import { plumbline } from '../../api/plumbline.ts'
import { fetchRecordName, type NamedKind, useRecordName } from '../../api/record-names.ts'
import { ActorName } from '../../ui/actor-name.tsx'
import type { Filter } from '../../ui/filter.tsx'
import { humanizeName } from '../../ui/humanize-name.ts'
import { Listing } from '../../ui/listing.tsx'
import { Page } from '../../ui/page.tsx'
import { ParamDate } from '../../ui/param-select.tsx'
import { RecordName } from '../../ui/record-name.tsx'
import { EmptyState, Skeleton } from '../../ui/states.tsx'
import { type Column, EmptyCell } from '../../ui/table.tsx'
import { TimeText } from '../../ui/time.tsx'
import { TitleBlock } from '../../ui/title-block.tsx'
import { useFormats } from '../../ui/use-formats.ts'
import { AccountingTabs } from './accounting-tabs.tsx'
import { MEASURE_WORDS, MEASURES } from './ledger-words.ts'

const MEASURE_FILTER: Filter = {
  name: 'measure',
  label: 'Account',
  options: MEASURES.map((value) => ({ value, label: MEASURE_WORDS[value] })),
}

/** The filters that a link to the page can set. */
const RECORD_FILTERS = [
  { name: 'homeId', label: 'Home', kind: 'home' },
  { name: 'costCodeId', label: 'Cost code', kind: 'costCode' },
  { name: 'vendorId', label: 'Vendor', kind: 'vendor' },
  { name: 'poId', label: 'Order', kind: 'order' },
] as const satisfies readonly { name: string; label: string; kind: NamedKind }[]

/** The parameters of the filters that a link can set, which also limit the balance. */
const LINKED_FILTERS = ['scope', ...RECORD_FILTERS.map(({ name }) => name)]

/** The dates, which are not shown as filters of the list. */
const DATES = ['from', 'to']

/** Lists the postings of the cost ledger, newest first. */
export function Component() {
  const columns = useColumns()
  const filters = [MEASURE_FILTER, ...useLinkedFilters()]
  return (
    <Page
      title="Postings"
      crumbs={[
        { name: 'Accounting', to: '/accounting' },
        { name: 'Ledger', to: '/accounting/ledger' },
        { name: 'Postings' },
      ]}
    >
      <div className="page-head">
        <h1>Postings</h1>
        <p>Amounts in the cost ledger, in the order of recording. Corrections are new postings.</p>
      </div>
      <AccountingTabs />
      <PostedBalance />
      <Listing
        path="/api/ext/ledger/postings"
        nouns={['posting', 'postings']}
        columns={columns}
        keyOf={({ id }) => id}
        tabs={DATES}
        filters={filters}
        aside={
          <>
            <ParamDate name="from" label="From" />
            <ParamDate name="to" label="Through" />
          </>
        }
        empty={
          <EmptyState icon="orders" title="No postings yet">
            Approved orders, completed work, bills, payments, and journals appear here.
          </EmptyState>
        }
      />
    </Page>
  )
}

/**
 * Returns a filter for the trade and for each record that the URL names. The user can remove these filters here, but can
 * add them only by following a link from another page.
 */
function useLinkedFilters(): readonly Filter[] {
  const [params] = useSearchParams()
  const scope = params.get('scope') ?? ''
  const ids = RECORD_FILTERS.map(({ name }) => params.get(name) ?? '')
  const [homeId = '', costCodeId = '', vendorId = '', poId = ''] = ids
  const names = [
    useRecordName('home', homeId).data,
    useRecordName('costCode', costCodeId).data,
    useRecordName('vendor', vendorId).data,
    useRecordName('order', poId).data,
  ]
  const ofRecords = RECORD_FILTERS.flatMap(({ name, label }, at) => {
    const id = ids[at] ?? ''
    return id === '' ? [] : [{ name, label, options: [{ value: id, label: names[at] ?? '…' }] }]
  })
  if (scope === '') return ofRecords
  return [{ name: 'scope', label: 'Trade', options: [{ value: scope, label: humanizeName(scope) }] }, ...ofRecords]
}

/** Shows the balance that the listed postings add up to, if one account is chosen. */
function PostedBalance() {
  const [params] = useSearchParams()
  const { cents, day, today } = useFormats()
  const measure = MEASURES.find((one) => one === params.get('measure'))
  const to = params.get('to') ?? today()
  const from = params.get('from')
  const linked = Object.fromEntries(
    LINKED_FILTERS.flatMap((name) => (params.get(name) === null ? [] : [[name, params.get(name)]])),
  )
  const closing = useBalance(measure, { ...linked, asOf: to })
  const opening = useBalance(from === null ? undefined : measure, { ...linked, asOf: dayBefore(from ?? to) })
  if (measure === undefined) return null
  const amountOf = (amount: number | undefined) => (amount === undefined ? '…' : cents(amount))
  return (
    <TitleBlock
      name={MEASURE_WORDS[measure]}
      facts={[
        ...(from === null
          ? []
          : [{ label: 'Opening balance', isFigure: true, value: amountOf(opening), note: `before ${day(from)}` }]),
        { label: 'Balance', isFigure: true, value: amountOf(closing), note: `through ${day(to)}` },
      ]}
    />
  )
}

function useBalance(measure: Measure | undefined, query: { asOf: string }): number | undefined {
  const balances = plumbline.useQuery(
    'get',
    '/api/ext/ledger/balances',
    { params: { query } },
    { enabled: measure !== undefined },
  )
  return measure === undefined ? undefined : balances.data?.balances[0]?.amounts[measure]
}

const DAY_MS = 86_400_000

function dayBefore(date: string): string {
  return new Date(Date.parse(date) - DAY_MS).toISOString().slice(0, 10)
}

function useColumns(): readonly Column<Posting>[] {
  const { cents, day } = useFormats()
  return useMemo(
    () => [
      {
        head: 'Date',
        className: 'nowrap',
        cell: ({ effectiveDate }) => day(effectiveDate),
        csv: ({ effectiveDate }) => effectiveDate,
      },
      {
        head: 'Account',
        cell: ({ measure }) => MEASURE_WORDS[measure],
        csv: ({ measure }) => MEASURE_WORDS[measure],
      },
      { head: 'Source', cell: (posting) => <PostingSource of={posting} />, csv: nameSource },
      {
        head: 'Home',
        cell: ({ homeId }) => (homeId === null ? <EmptyCell /> : <RecordName of="home" id={homeId} />),
        csv: ({ homeId }) => (homeId === null ? null : fetchRecordName('home', homeId)),
      },
      {
        head: 'Trade',
        cell: ({ scope, costCodeId }) => (
          <>
            {scope === null ? <EmptyCell /> : humanizeName(scope)}
            {costCodeId !== null && (
              <span className="sub">
                <RecordName of="costCode" id={costCodeId} />
              </span>
            )}
          </>
        ),
        csv: ({ scope }) => scope,
      },
      {
        head: 'Cost code',
        isOnlyExported: true,
        cell: () => null,
        csv: ({ costCodeId }) => (costCodeId === null ? null : fetchRecordName('costCode', costCodeId)),
      },
      {
        head: 'Vendor',
        cell: ({ vendorId }) => (vendorId === null ? <EmptyCell /> : <RecordName of="vendor" id={vendorId} />),
        csv: ({ vendorId }) => (vendorId === null ? null : fetchRecordName('vendor', vendorId)),
      },
      {
        head: 'Recorded',
        isWideOnly: true,
        className: 'nowrap',
        cell: ({ recordedAt, actor }) => (
          <>
            <TimeText at={recordedAt} />
            <span className="sub">
              by <ActorName of={actor} />
            </span>
          </>
        ),
        csv: ({ recordedAt }) => recordedAt,
      },
      { head: 'Note', isOnlyExported: true, cell: () => null, csv: ({ note }) => note },
      { head: 'Amount', numeric: true, cell: ({ amount }) => cents(amount), csv: ({ amount }) => amount },
    ],
    [cents, day],
  )
}

/** Returns the document that caused a posting; null if it was a journal, approved time, a budget, or a sale. */
function findSource({ billId, paymentId, poId }: Posting): readonly [kind: NamedKind, id: string] | null {
  if (billId !== null) return ['bill', billId]
  if (paymentId !== null) return ['payment', paymentId]
  return poId === null ? null : ['order', poId]
}

function PostingSource({ of }: { of: Posting }) {
  const source = findSource(of)
  return (
    <>
      {source === null ? <EntrySource of={of} /> : <RecordName of={source[0]} id={source[1]} />}
      {of.note !== null && (
        <span className="sub clip" title={of.note}>
          {of.note}
        </span>
      )}
    </>
  )
}

/** Names the source of a posting without a document. An entry that is not a journal has no name. */
function EntrySource({ of: { entryId, saleId, measure } }: { of: Posting }) {
  const { data } = useRecordName('journal', entryId)
  if (data === undefined) return <Skeleton width={88} />
  if (data !== null) return <RecordName of="journal" id={entryId} />
  if (saleId !== null) return <Link to={`/sales/${saleId}`}>Sale</Link>
  return measure === 'budget' ? 'Budget' : 'Time'
}

function nameSource(posting: Posting) {
  const source = findSource(posting)
  return source === null ? fetchRecordName('journal', posting.entryId) : fetchRecordName(...source)
}
