import { useState } from 'react'
import { humanizeName } from '../../../ui/humanize-name.ts'
import { RecordName } from '../../../ui/record-name.tsx'
import { Sheet, type SheetRowView } from '../../../ui/sheet.tsx'
import { formatCount } from '../../../ui/text-formats.ts'
import { describeLink } from '../../homes/task-words.ts'
import {
  createRow,
  formatLinks,
  type RowErrors,
  settleLinks,
  TEMPLATE_CELLS,
  TEMPLATE_COLUMNS,
  type TemplateColumn,
  type TemplateReading,
  type TemplateRow,
} from './template-rows.ts'

const WORDS = { item: 'task', place: 'row' }

/** The rows of a template as a spreadsheet. */
export function TemplateGrid(props: {
  rows: readonly TemplateRow[]
  reading: TemplateReading
  /** The errors of the service by the key of the row. */
  rejected: ReadonlyMap<string, RowErrors>
  trades: readonly string[]
  /** Whether only rows with errors are shown. */
  onlyErrors: boolean
  onChange(rows: readonly TemplateRow[]): void
  /** Opens all fields of a row. */
  onOpen(key: string): void
}) {
  const { rows, reading, rejected, trades, onlyErrors, onChange, onOpen } = props
  return (
    <Sheet
      id="template"
      label="Tasks of the template"
      columns={TEMPLATE_COLUMNS}
      access={TEMPLATE_CELLS}
      viewOf={useRowViews(rows, reading)}
      suggestions={{ scope: trades.map((value) => ({ value })) }}
      resultHead="Days"
      searchIn="Task, trade, or phase"
      searchTexts={({ name, spanishName, scope, phase }) => [name, spanishName, scope, phase]}
      words={WORDS}
      order={{
        nameOf: ({ name }) => name,
        onOpen,
        onLeave(key, column) {
          const row = column === 'waits' ? rows.find((one) => one.key === key) : undefined
          if (row === undefined) return
          // Replaces the typed predecessors with links, so that they follow their rows.
          const settled = settleLinks(row, reading.rows.get(key))
          if (settled !== row) onChange(rows.map((one) => (one === row ? settled : one)))
        },
      }}
      help={
        <>
          A task waits for the rows whose numbers you enter. For example, <code>3, 5SS+2</code> means after row 3, and 2
          workdays after the start of row 5. Use <code>FF</code> or <code>SF</code> for other links and <code>cd</code>{' '}
          for calendar days.
        </>
      }
      {...{ rows, rejected, onlyErrors, createRow, onChange }}
    />
  )
}

/** A view with the row and the facts about other rows from which it was computed. */
interface ComputedView {
  row: TemplateRow
  facts: string
  view: SheetRowView<TemplateColumn>
}

/**
 * Returns a function that returns the view of a row. A view also depends on the numbers and names of other rows, and
 * stays the same object until one of them changes.
 */
function useRowViews(
  rows: readonly TemplateRow[],
  reading: TemplateReading,
): (row: TemplateRow) => SheetRowView<TemplateColumn> {
  const [computed] = useState(() => new Map<string, ComputedView>())
  const numbers = new Map(rows.map(({ key }, at) => [key, at + 1]))
  const names = new Map(rows.map(({ key, name }) => [key, name]))
  return (row) => {
    const own = reading.rows.get(row.key)
    const links = row.waits === null ? row.links : (own?.links ?? [])
    const waits = row.waits ?? formatLinks(row.links, (key) => numbers.get(key))
    const waitsNote = links.map((link) => describeLink(names.get(link.to) ?? link.name, link)).join('; ')
    const days = own?.schedule == null ? '' : formatDays(own.schedule)
    const errors = own?.errors ?? {}
    const facts = JSON.stringify([waits, waitsNote, days, errors])
    const before = computed.get(row.key)
    if (before?.row === row && before.facts === facts) return before.view
    const details = describeDetails(row)
    const view: SheetRowView<TemplateColumn> = {
      errors,
      notes: {
        ...((details !== '' || row.vendorId !== '') && { name: <RowDetails details={details} row={row} /> }),
        ...(waitsNote !== '' && { waits: waitsNote }),
      },
      texts: { waits },
      ...(row.taskKind === 'milestone' && { fixed: { duration: '0' } }),
      result: days === '' ? <span className="none">none</span> : days,
    }
    computed.set(row.key, { row, facts, view })
    return view
  }
}

function RowDetails({ details, row: { vendorId } }: { details: string; row: TemplateRow }) {
  return (
    <>
      {details}
      {vendorId !== '' && (
        <>
          {details !== '' && ', '}
          <RecordName of="vendor" id={vendorId} isPlain />
        </>
      )}
    </>
  )
}

/** Describes the fields of a row that have no column, such as `Inspection, Framing, 3 checks`. */
function describeDetails({ taskKind, phase, checklist }: TemplateRow): string {
  return [
    ...(taskKind === 'work' ? [] : [humanizeName(taskKind)]),
    ...(phase.trim() === '' ? [] : [humanizeName(phase.trim())]),
    ...(checklist.length === 0 ? [] : [formatCount(checklist.length, 'check')]),
  ].join(', ')
}

/** Returns the workdays of a row as text, such as `8 to 13`. */
function formatDays({ start, end }: { start: number; end: number }): string {
  if (end - start <= 1) return String(Math.max(end, 1))
  return `${start + 1} to ${end}`
}
