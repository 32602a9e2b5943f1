import { type ReactNode, useState } from 'react'
import type { OptionTakeoffLine, TakeoffLine } from '../../../client/contract.gen.ts'
import { Button } from '../../ui/button.tsx'
import { formatPercent, formatQuantity } from '../../ui/number-formats.ts'
import { Panel } from '../../ui/panel.tsx'
import { RecordName } from '../../ui/record-name.tsx'
import { LoadError } from '../../ui/states.tsx'
import { type Column, EmptyCell, Table } from '../../ui/table.tsx'
import { formatCount } from '../../ui/text-formats.ts'

type Line = TakeoffLine | OptionTakeoffLine

/** The number of lines that are shown at first. A takeoff has hundreds. A button shows all of them. */
const INITIAL_LINES = 40

const COLUMNS: readonly Column<Line>[] = [
  { head: 'Part', cell: ({ partId }) => <RecordName of="part" id={partId} /> },
  { head: 'Elevation', cell: ({ elevation }) => elevation ?? <EmptyCell word="all" /> },
  {
    head: 'Quantity',
    cell: ({ formula, quantity: fixed }) => (formula === null ? formatQuantity(fixed ?? 0) : <code>{formula}</code>),
  },
  { head: 'Waste', numeric: true, cell: ({ wastePercent }) => formatPercent(wastePercent) },
  { head: 'Task', isWideOnly: true, cell: ({ taskName }) => taskName ?? <EmptyCell /> },
]

/** Shown only if the lines belong to different plans. */
const PLAN_COLUMN: Column<Line> = {
  head: 'Plan',
  cell: (line) =>
    'planId' in line && line.planId !== null ? <RecordName of="plan" id={line.planId} /> : <EmptyCell word="all" />,
}

/** Lists the parts that a plan or an option needs. */
export function TakeoffPanel(props: {
  lines: readonly Line[] | undefined
  error: unknown
  empty: string
  actions?: ReactNode
}) {
  const { lines, error, empty, actions } = props
  const [isWhole, setIsWhole] = useState(false)
  if (error !== null) return <LoadError what="The takeoff" error={error} />
  const rows = isWhole ? lines : lines?.slice(0, INITIAL_LINES)
  const [part, ...others] = COLUMNS
  const isOfOption = lines?.some((line) => 'planId' in line) === true
  const columns = part === undefined || !isOfOption ? COLUMNS : [part, PLAN_COLUMN, ...others]
  return (
    <Panel
      title="Takeoff"
      hint={lines === undefined ? undefined : formatCount(lines.length, 'line')}
      isFlush
      actions={
        <>
          {lines !== undefined && rows !== undefined && rows.length < lines.length && (
            <Button small look="quiet" onClick={() => setIsWhole(true)}>
              Show all {lines.length}
            </Button>
          )}
          {actions}
        </>
      }
    >
      {rows?.length === 0 ? (
        <p className="muted">{empty}</p>
      ) : (
        <div className="table-wrap">
          <Table caption="Takeoff" columns={columns} rows={rows} keyOf={getLineKey} />
        </div>
      )}
    </Panel>
  )
}

/** Several plans and elevations can have lines with the same ID. */
function getLineKey(line: Line): string {
  return ['planId' in line ? line.planId : null, line.elevation, line.lineId].join(' ')
}
