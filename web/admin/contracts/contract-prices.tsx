import { Link } from 'react-router'
import type { Contract, ContractLine, LumpSum } from '../../../client/contract.gen.ts'
import { useSession } from '../../api/session.ts'
import { formatPercent, formatQuantity, formatUnitPrice } from '../../ui/number-formats.ts'
import { Panel } from '../../ui/panel.tsx'
import { RecordName } from '../../ui/record-name.tsx'
import { type Column, EmptyCell, Table } from '../../ui/table.tsx'
import { formatCount } from '../../ui/text-formats.ts'
import { useFormats } from '../../ui/use-formats.ts'

/** Lists the prices and lump sums of a contract. With a previous revision, shows how each of them changed. */
export function ContractPrices({ contract, previous }: { contract: Contract; previous: Contract | undefined }) {
  const { lines, lumpSums } = contract
  return (
    <>
      {lumpSums.length > 0 && <LumpSums sums={lumpSums} previous={previous} />}
      {(lines.length > 0 || lumpSums.length === 0) && <Lines lines={lines} previous={previous} />}
    </>
  )
}

function Lines({ lines, previous }: { lines: readonly ContractLine[]; previous: Contract | undefined }) {
  const { currency } = useSession().organization
  const before = new Map(
    (previous?.lines ?? []).map(({ partId, minQuantity, unitPrice }) => [`${partId} ${minQuantity}`, unitPrice]),
  )
  const beforeOf = ({ partId, minQuantity }: ContractLine) => before.get(`${partId} ${minQuantity}`)
  const columns: readonly Column<ContractLine>[] = [
    { head: 'Part', cell: ({ partId }) => <RecordName of="part" id={partId} /> },
    { head: 'Unit', cell: ({ unit }) => unit },
    {
      head: 'From quantity',
      numeric: true,
      cell: ({ minQuantity }) => (minQuantity === 0 ? <EmptyCell word="any" /> : formatQuantity(minQuantity)),
    },
    ...(previous === undefined
      ? []
      : [
          {
            head: `Revision ${previous.revision}, ${currency}`,
            numeric: true,
            cell: (line: ContractLine) => {
              const price = beforeOf(line)
              return price === undefined ? <EmptyCell word="not priced" /> : formatUnitPrice(price)
            },
          },
          {
            head: 'Change',
            numeric: true,
            cell: (line: ContractLine) => <PercentChange before={beforeOf(line)} after={line.unitPrice} />,
          },
        ]),
    { head: `Unit price, ${currency}`, numeric: true, cell: ({ unitPrice }) => <b>{formatUnitPrice(unitPrice)}</b> },
  ]
  return (
    <Panel title="Prices" hint={formatCount(lines.length, 'price')} isFlush>
      {lines.length === 0 ? (
        <p className="muted">No prices yet. Edit the draft to add prices.</p>
      ) : (
        <div className="table-wrap">
          <Table caption="Prices" columns={columns} rows={lines} keyOf={({ lineId }) => lineId} />
        </div>
      )}
    </Panel>
  )
}

function LumpSums({ sums, previous }: { sums: readonly LumpSum[]; previous: Contract | undefined }) {
  const { currency } = useSession().organization
  const { exact } = useFormats()
  const keyOf = ({ planId, elevation, optionId }: LumpSum) => JSON.stringify([planId, elevation, optionId])
  const before = new Map((previous?.lumpSums ?? []).map((sum) => [keyOf(sum), sum.amount]))
  const columns: readonly Column<LumpSum>[] = [
    {
      head: 'For',
      cell: ({ planId, elevation, optionId }) => (
        <>
          {planId !== null && (
            <Link to={`/catalogue/plans/${planId}`}>
              <RecordName of="plan" id={planId} isPlain />
            </Link>
          )}
          {optionId !== null && <RecordName of="option" id={optionId} />}
          {elevation !== null && <span className="sub">Elevation {elevation}</span>}
        </>
      ),
    },
    {
      head: 'Cost code',
      cell: ({ costCodeId }) => (costCodeId === null ? <EmptyCell /> : <RecordName of="costCode" id={costCodeId} />),
    },
    { head: 'Covers', cell: ({ description }) => description ?? <EmptyCell word="all work" /> },
    ...(previous === undefined
      ? []
      : [
          {
            head: `Revision ${previous.revision}, ${currency}`,
            numeric: true,
            cell: (sum: LumpSum) => {
              const amount = before.get(keyOf(sum))
              return amount === undefined ? <EmptyCell word="not priced" /> : exact(amount)
            },
          },
          {
            head: 'Change',
            numeric: true,
            cell: (sum: LumpSum) => <PercentChange before={before.get(keyOf(sum))} after={sum.amount} />,
          },
        ]),
    { head: `Amount, ${currency}`, numeric: true, cell: ({ amount }) => <b>{exact(amount)}</b> },
  ]
  return (
    <Panel title="Lump sums" hint="for all work of the trade" isFlush>
      <div className="table-wrap">
        <Table caption="Lump sums" columns={columns} rows={sums} keyOf={({ lineId }) => lineId} />
      </div>
    </Panel>
  )
}

function PercentChange({ before, after }: { before: number | undefined; after: number }) {
  if (before === undefined) return <EmptyCell word="new" />
  if (before === after) return 'none'
  // A price of 0 has no percentage change.
  if (before === 0) return <EmptyCell word="from 0" />
  const percent = ((after - before) / Math.abs(before)) * 100
  return `${percent > 0 ? '+' : ''}${formatPercent(percent)}`
}
