import { useMemo } from 'react'
import { toFieldLabel } from '../../../server/platform/values/field-words.ts'
import { Button } from '../../ui/button.tsx'
import { saveFile, toCsv } from '../../ui/csv.ts'
import { humanizeName } from '../../ui/humanize-name.ts'
import { Panel } from '../../ui/panel.tsx'
import { type Column, EmptyCell, Table } from '../../ui/table.tsx'
import { formatCount } from '../../ui/text-formats.ts'
import { Value, ValueTable } from '../../ui/value-table.tsx'
import type { Values } from './entered-values.ts'

/** The maximum number of rows. Users do not read more on a page, and the CSV file contains all rows. */
const MAX_ROWS = 200
const MAX_COLUMNS = 9

/** Shows the result of any operation: its single values as a list, and each of its lists as a table. */
export function ActionResult({ of, title }: { of: unknown; title: string }) {
  if (of === null || of === undefined) return null
  if (typeof of !== 'object') {
    return (
      <Panel title={title}>
        <pre className="code">{String(of)}</pre>
      </Panel>
    )
  }
  const entries = Object.entries(of)
  const lists = entries.filter((entry): entry is [string, Values[]] => isListOfObjects(entry[1]))
  const rest = Object.fromEntries(entries.filter(([name, value]) => !isListOfObjects(value) && name !== 'nextCursor'))
  return (
    <div className="stack">
      {Object.keys(rest).length > 0 && (
        <Panel title={title} isFlush>
          <ValueTable caption={title} of={rest} />
        </Panel>
      )}
      {lists.map(([name, rows]) => (
        <ResultList key={name} title={name === 'data' ? title : toFieldLabel(name)} rows={rows} />
      ))}
    </div>
  )
}

function isListOfObjects(value: unknown): value is Values[] {
  return Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'object' && one !== null)
}

function ResultList({ title, rows }: { title: string; rows: readonly Values[] }) {
  const fields = useMemo(() => listFields(rows), [rows])
  const columns: readonly Column<Values>[] = fields.slice(0, MAX_COLUMNS).map((field) => ({
    head: toFieldLabel(field),
    numeric: typeof rows[0]?.[field] === 'number',
    cell: (row) => <Cell of={row[field]} decimals={countDecimals(rows, field)} />,
  }))
  const save = () => {
    const cells = rows.map((row) => fields.map((field) => toCsvCell(row[field])))
    saveFile(toCsv(fields.map(toFieldLabel), cells), `${title.toLowerCase().replaceAll(/\W+/g, '-')}.csv`)
  }
  return (
    <Panel
      title={humanizeName(title)}
      hint={formatCount(rows.length, 'row')}
      isFlush
      actions={
        <Button small look="quiet" icon="download" onClick={save}>
          Export
        </Button>
      }
    >
      <div className="table-wrap">
        <Table
          caption={title}
          columns={columns}
          rows={rows.slice(0, MAX_ROWS)}
          keyOf={(row) => String(row.id ?? rows.indexOf(row))}
        />
      </div>
    </Panel>
  )
}

/** Returns the fields with simple values. Fields that contain the name of a row come first. */
function listFields(rows: readonly Values[]): string[] {
  const all = new Set(
    rows.slice(0, MAX_ROWS).flatMap((row) => Object.keys(row).filter((field) => isSimple(row[field]))),
  )
  // Leaves out the name of a record, because the link next to it already shows the name.
  for (const field of [...all]) if (all.has(`${field}Id`)) all.delete(field)
  const first = ['number', 'name', 'companyName', 'title', 'date', 'description'].filter((field) => all.has(field))
  const rest = [...all].filter((field) => !first.includes(field) && field !== 'id' && field !== 'version')
  return [...first, ...rest]
}

function Cell({ of, decimals }: { of: unknown; decimals: number }) {
  if (typeof of === 'number')
    return of.toLocaleString('en-US', { minimumFractionDigits: decimals, maximumFractionDigits: 4 })
  return isSimple(of) ? <Value of={of} /> : <EmptyCell word="see details" />
}

/**
 * Returns the number of decimals for a column. It is the same for all numbers in the column, so that amounts are
 * aligned.
 */
function countDecimals(rows: readonly Values[], field: string): number {
  const hasFraction = rows
    .slice(0, MAX_ROWS)
    .some((row) => typeof row[field] === 'number' && !Number.isInteger(row[field]))
  return hasFraction ? 2 : 0
}

function isSimple(value: unknown): boolean {
  return (
    typeof value !== 'object' ||
    value === null ||
    (Array.isArray(value) && value.every((one) => typeof one !== 'object'))
  )
}

function toCsvCell(value: unknown): string | number | null {
  if (value === null || value === undefined) return null
  return typeof value === 'number' ? value : String(value)
}
