import { useState } from 'react'
import type { OptionTakeoffLine, TakeoffLine } from '../../../client/contract.gen.ts'
import { Button } from '../../ui/button.tsx'
import { percent, quantity } from '../../ui/figures.ts'
import { Name } from '../../ui/name.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Failed } from '../../ui/states.tsx'
import { type Column, None, Table } from '../../ui/table.tsx'
import { count } from '../../ui/words.ts'

type Line = TakeoffLine | OptionTakeoffLine

/** A takeoff has hundreds of lines; a button shows all of them. */
const SHOWN_AT_FIRST = 40

const COLUMNS: readonly Column<Line>[] = [
  { head: 'Part', cell: ({ partId }) => <Name of="part" id={partId} /> },
  { head: 'Elevation', cell: ({ elevation }) => elevation ?? <None word="all" /> },
  {
    head: 'Quantity',
    cell: ({ formula, quantity: fixed }) => (formula === null ? quantity(fixed ?? 0) : <code>{formula}</code>),
  },
  { head: 'Waste', numeric: true, cell: ({ wastePercent }) => percent(wastePercent) },
  { head: 'Task', isWideOnly: true, cell: ({ taskName }) => taskName ?? <None /> },
]

/** Added if the lines belong to different plans. */
const PLAN: Column<Line> = {
  head: 'Plan',
  cell: (line) =>
    'planId' in line && line.planId !== null ? <Name of="plan" id={line.planId} /> : <None word="all" />,
}

/** Lists the parts that a plan or an option needs. */
export function TakeoffPanel(props: { lines: readonly Line[] | undefined; error: unknown; empty: string }) {
  const { lines, error, empty } = props
  const [isWhole, setIsWhole] = useState(false)
  if (error !== null) return <Failed what="The takeoff" error={error} />
  const rows = isWhole ? lines : lines?.slice(0, SHOWN_AT_FIRST)
  const [part, ...others] = COLUMNS
  const isOfOption = lines?.some((line) => 'planId' in line) === true
  const columns = part === undefined || !isOfOption ? COLUMNS : [part, PLAN, ...others]
  return (
    <Panel
      title="Takeoff"
      hint={lines === undefined ? undefined : count(lines.length, 'line')}
      isFlush
      actions={
        lines !== undefined &&
        rows !== undefined &&
        rows.length < lines.length && (
          <Button small look="quiet" onClick={() => setIsWhole(true)}>
            Show all {lines.length}
          </Button>
        )
      }
    >
      {rows?.length === 0 ? (
        <p className="muted">{empty}</p>
      ) : (
        <div className="table-wrap">
          <Table caption="Takeoff" columns={columns} rows={rows} keyOf={({ lineId }) => lineId} />
        </div>
      )}
    </Panel>
  )
}
