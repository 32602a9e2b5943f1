import { useCallback, useDeferredValue, useMemo, useState } from 'react'
import { formatQuantity } from '../../ui/number-formats.ts'
import { Sheet, type SheetRowView } from '../../ui/sheet.tsx'
import { type CellErrors, createSheetRow } from '../../ui/sheet-rows.ts'
import { usePartSuggestions } from './known-parts.ts'
import {
  isEmptyRow,
  TAKEOFF_CELLS,
  type TakeoffColumn,
  type TakeoffColumns,
  type TakeoffRow,
  type TakeoffRowResult,
} from './takeoff-rows.ts'

/** The lines of a takeoff as a spreadsheet, with the quantity that each line needs. */
export function TakeoffGrid(props: {
  columns: TakeoffColumns
  rows: readonly TakeoffRow[]
  resultOf(row: TakeoffRow): TakeoffRowResult
  /** The errors of the service by the key of the row. */
  rejected: ReadonlyMap<string, CellErrors>
  /** The codes of the plans that a line can name. Empty for the takeoff of a plan. */
  plans: readonly string[]
  elevations: readonly string[]
  costCodes: readonly string[]
  /** Whether only rows with errors are shown. */
  onlyErrors: boolean
  onChange(rows: readonly TakeoffRow[]): void
}) {
  const { columns, rows, resultOf, rejected, plans, elevations, costCodes, onlyErrors, onChange } = props
  const [typed, setTyped] = useState('')
  const parts = usePartSuggestions(useDeferredValue(typed))
  const views = useMemo(() => new WeakMap<TakeoffRowResult, SheetRowView<TakeoffColumn>>(), [])
  const viewOf = useCallback(
    (row: TakeoffRow) => {
      const result = resultOf(row)
      const found = views.get(result) ?? toView(row, result)
      views.set(result, found)
      return found
    },
    [views, resultOf],
  )
  const suggestions = {
    part: parts,
    plan: plans.map((value) => ({ value })),
    elevation: elevations.map((value) => ({ value })),
    costCode: costCodes.map((value) => ({ value })),
  }
  return (
    <Sheet
      id="takeoff"
      label="Lines of the takeoff"
      access={TAKEOFF_CELLS}
      resultHead="To buy"
      searchIn="Part, formula, or task"
      onType={setTyped}
      createRow={createSheetRow}
      {...{ columns, rows, viewOf, rejected, suggestions, onlyErrors, onChange }}
    />
  )
}

function toView(row: TakeoffRow, { part, quantity, errors }: TakeoffRowResult): SheetRowView<TakeoffColumn> {
  return {
    errors,
    ...(part !== null && { notes: { part: part.name } }),
    result:
      quantity === null ? (
        <span className="none">{isEmptyRow(row) ? '' : 'none'}</span>
      ) : (
        <>
          {formatQuantity(quantity.quantity)} <span className="faint">{part?.unit}</span>
        </>
      ),
  }
}
