import { Link, useSearchParams } from 'react-router'
import type { Home, JobCostRow, Journal } from '../../../client/contract.gen.ts'
import { MAIN_QUERY } from '../../api/page-calls.ts'
import { plumbline } from '../../api/plumbline.ts'
import { useCan } from '../../api/session.ts'
import { useRecords } from '../../api/use-records.ts'
import { humanizeName } from '../../ui/humanize-name.ts'
import { Panel } from '../../ui/panel.tsx'
import { ParamChip, ParamDate } from '../../ui/param-select.tsx'
import { RecordName } from '../../ui/record-name.tsx'
import { EmptyState, LoadError } from '../../ui/states.tsx'
import { type Column, EmptyCell, Table } from '../../ui/table.tsx'
import { TitleBlock } from '../../ui/title-block.tsx'
import { useFormats } from '../../ui/use-formats.ts'
import { LedgerPager, useLedgerPages } from './ledger-pages.tsx'

const PAGE_SIZE = 100

/** Shows the cost ledger of a home: the opening cost, each posting with the running cost, and the closing cost. */
export function JobCostLedger({ home }: { home: Home }) {
  const [params] = useSearchParams()
  const can = useCan()
  const { cents, day } = useFormats()
  const [from, to] = [params.get('from'), params.get('to')]
  const [scope, costCodeId] = [params.get('scope'), params.get('costCodeId')]
  const { pages, after, setPages } = useLedgerPages(params.toString())
  const ledger = plumbline.useQuery(
    'get',
    '/api/ext/homes/{homeId}/ledger',
    {
      params: {
        path: { homeId: home.id },
        query: {
          limit: PAGE_SIZE,
          ...(after !== undefined && { afterPostingId: after }),
          ...(from !== null && { from }),
          ...(to !== null && { to }),
          ...(scope !== null && { scope }),
          ...(costCodeId !== null && { costCodeId }),
        },
      },
    },
    { meta: MAIN_QUERY },
  )
  const data = ledger.data
  const journals = useRecords(
    '/api/ext/ledger/journals',
    (data?.rows ?? []).flatMap(({ posting }) => (isWithoutDocument(posting) ? [posting.entryId] : [])),
  )
  const columns: readonly Column<JobCostRow>[] = [
    { head: 'Date', className: 'nowrap', cell: ({ posting }) => day(posting.effectiveDate) },
    { head: 'Source', cell: ({ posting }) => <Source of={posting} journal={journals.get(posting.entryId)} /> },
    {
      head: 'Vendor',
      cell: ({ posting: { vendorId } }) =>
        vendorId === null ? <EmptyCell /> : <RecordName of="vendor" id={vendorId} />,
    },
    {
      head: 'Trade',
      cell: ({ posting: { scope, costCodeId } }) => (
        <>
          {scope === null ? <EmptyCell /> : humanizeName(scope)}
          {costCodeId !== null && (
            <span className="sub">
              <RecordName of="costCode" id={costCodeId} />
            </span>
          )}
        </>
      ),
    },
    { head: 'Cost', numeric: true, cell: ({ posting: { amount } }) => cents(amount) },
    { head: 'Running cost', numeric: true, cell: ({ runningCost }) => cents(runningCost) },
  ]
  return (
    <>
      <search className="filters">
        <ParamDate name="from" label="From" />
        <ParamDate name="to" label="Through" />
        {scope !== null && <ParamChip name="scope" label="Trade" value={humanizeName(scope)} />}
        {costCodeId !== null && (
          <ParamChip name="costCodeId" label="Cost code" value={<RecordName of="costCode" id={costCodeId} isPlain />} />
        )}
        {can('ledger:write') && (
          <span className="push">
            <Link className="btn" to={`/accounting/journals/new?kind=transfer&homeId=${home.id}`}>
              Transfer cost
            </Link>
          </span>
        )}
      </search>
      {ledger.error !== null ? (
        <LoadError what="The cost ledger" error={ledger.error} onRetry={() => void ledger.refetch()} />
      ) : (
        <>
          <TitleBlock
            name="Cost ledger"
            level={2}
            sub={
              data?.isApproximate === true ? 'Some dates come from records that are older than the ledger' : undefined
            }
            facts={[
              {
                label: 'Opening cost',
                isFigure: true,
                value: data === undefined ? '…' : cents(data.opening),
                note: from === null ? 'before the first posting' : `before ${day(from)}`,
              },
              {
                label: 'Cost in the period',
                isFigure: true,
                value: data === undefined ? '…' : cents(data.closing - data.opening),
              },
              {
                label: 'Closing cost',
                isFigure: true,
                value: data === undefined ? '…' : cents(data.closing),
                note: data === undefined ? undefined : `through ${day(data.to)}`,
              },
            ]}
          />
          <Panel title="Postings" isFlush>
            {data?.rows.length === 0 ? (
              <EmptyState icon="orders" title="No costs in this period">
                Completed work, bills, approved time, and journals appear here.
              </EmptyState>
            ) : (
              <div className="table-wrap">
                <Table caption="Postings" columns={columns} rows={data?.rows} keyOf={({ posting }) => posting.id} />
              </div>
            )}
          </Panel>
          <LedgerPager {...{ pages, setPages }} last={data?.lastPostingId} />
        </>
      )}
    </>
  )
}

/** Returns whether a posting was caused by a journal or by approved time. */
function isWithoutDocument({ billId, paymentId, poId }: JobCostRow['posting']): boolean {
  return billId === null && paymentId === null && poId === null
}

/** Links to the record that caused a posting. */
function Source({ of, journal }: { of: JobCostRow['posting']; journal: Journal | undefined }) {
  const { billId, paymentId, poId, note } = of
  return (
    <>
      {billId !== null ? (
        <RecordName of="bill" id={billId} />
      ) : paymentId !== null ? (
        <RecordName of="payment" id={paymentId} />
      ) : poId !== null ? (
        <RecordName of="order" id={poId} />
      ) : journal === undefined ? (
        'Time'
      ) : (
        <Link to={`/accounting/journals/${journal.id}`}>{journal.number}</Link>
      )}
      {note !== null && (
        <span className="sub clip" title={note}>
          {note}
        </span>
      )}
    </>
  )
}
