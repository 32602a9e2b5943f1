import { useMutation } from '@tanstack/react-query'
import { Link, useSearchParams } from 'react-router'
import type { LedgerBalance, LedgerBalances, LedgerGroup, Measure } from '../../../client/contract.gen.ts'
import { NO_TRADE } from '../../../server/domain/ledger/no-trade.ts'
import { MAIN_QUERY } from '../../api/page-calls.ts'
import { client, plumbline } from '../../api/plumbline.ts'
import { fetchRecordName, type NamedKind } from '../../api/record-names.ts'
import { Button } from '../../ui/button.tsx'
import { saveFile, toCsv } from '../../ui/csv.ts'
import { humanizeName } from '../../ui/humanize-name.ts'
import { Page } from '../../ui/page.tsx'
import { Panel } from '../../ui/panel.tsx'
import { ParamDate, ParamSelect } from '../../ui/param-select.tsx'
import { RecordName } from '../../ui/record-name.tsx'
import { ChangeError, EmptyState, LoadError } from '../../ui/states.tsx'
import { type Column, EmptyCell, Table } from '../../ui/table.tsx'
import { showToast } from '../../ui/toast.tsx'
import { useFormats } from '../../ui/use-formats.ts'
import { AccountingTabs } from './accounting-tabs.tsx'
import { LedgerPager, useLedgerPages } from './ledger-pages.tsx'
import { isCostPart, MEASURE_WORDS, MEASURES } from './ledger-words.ts'
import { ParamRecord } from './param-record.tsx'

const PAGE_SIZE = 100
/**
 * The maximum number of rows per request, and of requests per export. A builder has fewer groups than their product.
 */
const EXPORT_PAGE_SIZE = 200
const MAX_EXPORT_REQUESTS = 100

interface Group {
  word: string
  /** The heading of the column with the groups. */
  head: string
  /** The kind of the records by which the balances are grouped; null for trades, which have names, and for the total. */
  kind: NamedKind | null
  /** The filter of the list of postings for one group; null for the total. */
  param: 'homeId' | 'vendorId' | 'costCodeId' | 'scope' | 'poId' | null
}

const GROUPS: Readonly<Record<LedgerGroup, Group>> = {
  total: { word: 'Account', head: 'Account', kind: null, param: null },
  costCode: { word: 'Cost code', head: 'Cost code', kind: 'costCode', param: 'costCodeId' },
  home: { word: 'Home', head: 'Home', kind: 'home', param: 'homeId' },
  vendor: { word: 'Vendor', head: 'Vendor', kind: 'vendor', param: 'vendorId' },
  scope: { word: 'Trade', head: 'Trade', kind: null, param: 'scope' },
  po: { word: 'Order', head: 'Order', kind: 'order', param: 'poId' },
}

const GROUP_OPTIONS = Object.entries(GROUPS).map(([value, { word }]) => ({
  value: value === 'total' ? '' : value,
  label: word,
}))

/** The accounts that have a column of their own. All other parts of the cost are in one column. */
const COLUMN_MEASURES = [
  'budget',
  'commitment',
  'cost',
  'unbilled',
  'payable',
  'retainage',
  'paid',
] as const satisfies Measure[]
const COLUMN_HEADS: Readonly<Record<(typeof COLUMN_MEASURES)[number], string>> = {
  budget: 'Budget',
  commitment: 'Orders',
  cost: 'Cost',
  unbilled: 'Not billed',
  payable: 'To pay',
  retainage: 'Retainage',
  paid: 'Paid',
}
const OTHER_PARTS = ['discount', 'withheldTax', 'payroll', 'other'] as const satisfies Measure[]

function isLedgerGroup(value: string | null): value is LedgerGroup {
  return value !== null && value in GROUPS
}

interface BalanceQuery {
  asOf: string
  groupBy: LedgerGroup
  homeId?: string
}

/** Returns the URL of the postings behind a balance. */
function toPostingsUrl({ asOf, homeId }: BalanceQuery, filters: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams({ to: asOf, ...(homeId !== undefined && { homeId }), ...filters })
  return `/accounting/ledger/postings?${query}`
}

/** Shows the balances of the cost ledger at the end of a day, and links to the postings behind each of them. */
export function Component() {
  const [params] = useSearchParams()
  const { today, day } = useFormats()
  const chosen = params.get('groupBy')
  const homeId = params.get('homeId')
  const query: BalanceQuery = {
    asOf: params.get('asOf') ?? today(),
    groupBy: isLedgerGroup(chosen) ? chosen : 'total',
    ...(homeId !== null && { homeId }),
  }
  const { pages, after, setPages } = useLedgerPages(params.toString())
  const ledger = plumbline.useQuery(
    'get',
    '/api/ext/ledger/balances',
    { params: { query: { ...query, limit: PAGE_SIZE, ...(after !== undefined && { afterId: after }) } } },
    { meta: MAIN_QUERY },
  )
  const data = ledger.data
  return (
    <Page
      title="Ledger"
      crumbs={[{ name: 'Accounting', to: '/accounting' }, { name: 'Ledger' }]}
      actions={<CsvButton query={query} />}
    >
      <div className="page-head">
        <h1>Ledger</h1>
        <p>Balances of the cost ledger at the end of a day, and the postings behind each balance.</p>
      </div>
      <AccountingTabs />
      <search className="filters">
        <ParamDate name="asOf" label="As of" />
        <ParamSelect name="groupBy" label="Balances by" options={GROUP_OPTIONS} />
        <ParamRecord name="homeId" label="Home" list={{ path: '/api/ext/homes', searches: true }} />
        <span className="push">
          <Link className="btn" to={toPostingsUrl(query, {})}>
            All postings
          </Link>
        </span>
      </search>
      <Panel
        title={`Balances on ${day(query.asOf)}`}
        isFlush
        {...(data?.isApproximate === true && { hint: 'some dates come from records that are older than the ledger' })}
        {...(query.groupBy !== 'total' && {
          foot: 'Cost is the sum of the columns Not billed, To pay, Retainage, Paid, and Other.',
        })}
      >
        {ledger.error !== null ? (
          <LoadError what="The balances" error={ledger.error} onRetry={() => void ledger.refetch()} />
        ) : query.groupBy === 'total' ? (
          <Accounts query={query} data={data} />
        ) : (
          <Balances query={query} data={data} />
        )}
      </Panel>
      <LedgerPager {...{ pages, setPages }} last={data?.lastId} />
    </Page>
  )
}

interface AccountRow {
  measure: Measure
  amount: number
}

function listAccounts(data: LedgerBalances): AccountRow[] {
  const [total] = data.balances
  return MEASURES.flatMap((measure) => {
    const amount = total?.amounts[measure] ?? 0
    return amount === 0 ? [] : [{ measure, amount }]
  })
}

function Accounts({ query, data }: { query: BalanceQuery; data: LedgerBalances | undefined }) {
  const { cents } = useFormats()
  const columns: readonly Column<AccountRow>[] = [
    {
      head: 'Account',
      cell: ({ measure }) => (
        <Link className="lead" to={toPostingsUrl(query, { measure })}>
          {MEASURE_WORDS[measure]}
        </Link>
      ),
    },
    {
      head: 'Part of',
      cell: ({ measure }) => (isCostPart(measure) ? MEASURE_WORDS.cost : <EmptyCell />),
    },
    { head: 'Balance', numeric: true, cell: ({ amount }) => cents(amount) },
  ]
  const rows = data === undefined ? undefined : listAccounts(data)
  if (rows?.length === 0) return <NoBalances />
  return (
    <div className="table-wrap">
      <Table caption="Balances" columns={columns} rows={rows} keyOf={({ measure }) => measure} />
    </div>
  )
}

function Balances({ query, data }: { query: BalanceQuery; data: LedgerBalances | undefined }) {
  const { cents } = useFormats()
  const group = GROUPS[query.groupBy]
  const filterOf = (id: string | null) => {
    // Only postings without a trade can be listed. Those without another record cannot.
    const value = id ?? (group.param === 'scope' ? NO_TRADE : null)
    return group.param === null || value === null ? null : { [group.param]: value }
  }
  const columns: readonly Column<LedgerBalance>[] = [
    { head: group.head, cell: ({ id }) => <GroupName {...{ query, id, filter: filterOf(id) }} /> },
    ...COLUMN_MEASURES.map(
      (measure): Column<LedgerBalance> => ({
        head: COLUMN_HEADS[measure],
        numeric: true,
        cell: ({ id, amounts }) => {
          const filter = filterOf(id)
          const amount = cents(amounts[measure])
          if (amounts[measure] === 0) return <span className="none">0</span>
          return filter === null ? amount : <Link to={toPostingsUrl(query, { ...filter, measure })}>{amount}</Link>
        },
      }),
    ),
    {
      head: 'Other',
      numeric: true,
      cell: ({ amounts }) => {
        const other = sumOtherParts(amounts)
        return other === 0 ? <span className="none">0</span> : cents(other)
      },
    },
  ]
  if (data?.balances.length === 0) return <NoBalances />
  return (
    <div className="table-wrap">
      <Table caption="Balances" columns={columns} rows={data?.balances} keyOf={({ id }) => id ?? 'none'} />
    </div>
  )
}

function sumOtherParts(amounts: LedgerBalance['amounts']): number {
  // Rounds to a thousandth, which no currency divides further, to remove the errors of binary fractions.
  return Math.round(OTHER_PARTS.reduce((sum, part) => sum + amounts[part], 0) * 1000) / 1000
}

/** Names a group, and links to its postings if they can be listed. */
function GroupName(props: { query: BalanceQuery; id: string | null; filter: Readonly<Record<string, string>> | null }) {
  const { query, id, filter } = props
  const { head, kind } = GROUPS[query.groupBy]
  const name =
    id === null ? (
      `No ${head.toLowerCase()}`
    ) : kind === null ? (
      humanizeName(id)
    ) : (
      <RecordName of={kind} id={id} isPlain />
    )
  const look = id === null ? 'muted' : 'lead'
  return filter === null ? (
    <span className={look}>{name}</span>
  ) : (
    <Link className={look} to={toPostingsUrl(query, filter)}>
      {name}
    </Link>
  )
}

function NoBalances() {
  return (
    <EmptyState icon="orders" title="No balances on this day">
      Approved orders, completed work, bills, payments, and journals appear here.
    </EmptyState>
  )
}

/** Saves all balances as a CSV file, with a column for each account. */
function CsvButton({ query }: { query: BalanceQuery }) {
  const { head, kind } = GROUPS[query.groupBy]
  const save = useMutation({
    mutationFn: async () => {
      const balances = await fetchAllBalances(query)
      const nameOf = (id: string | null) => (id === null || kind === null ? id : fetchRecordName(kind, id))
      const rows = await Promise.all(
        balances.map(async ({ id, amounts }) => [await nameOf(id), ...MEASURES.map((measure) => amounts[measure])]),
      )
      const heads = MEASURES.map((measure) => MEASURE_WORDS[measure])
      const file =
        query.groupBy === 'total'
          ? toCsv(
              ['Account', 'Balance'],
              MEASURES.map((measure, at) => [heads[at] ?? '', balances[0]?.amounts[measure] ?? 0]),
            )
          : toCsv([head, ...heads], rows)
      saveFile(file, `balances-${query.asOf}.csv`)
    },
    meta: { changesNothing: true },
    onSuccess: () => showToast('Export saved'),
  })
  return (
    <>
      <ChangeError error={save.error} />
      <Button icon="download" busy={save.isPending} onClick={() => save.mutate()}>
        Export
      </Button>
    </>
  )
}

async function fetchAllBalances(query: BalanceQuery): Promise<LedgerBalance[]> {
  const balances: LedgerBalance[] = []
  let after: string | null = null
  for (let at = 0; at < MAX_EXPORT_REQUESTS; at++) {
    const { data, error }: { data?: LedgerBalances; error?: unknown } = await client.GET('/api/ext/ledger/balances', {
      params: { query: { ...query, limit: EXPORT_PAGE_SIZE, ...(after !== null && { afterId: after }) } },
    })
    if (data === undefined) throw error
    balances.push(...data.balances)
    after = data.lastId
    if (after === null) break
  }
  return balances
}
