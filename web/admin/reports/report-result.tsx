import { useSearchParams } from 'react-router'
import {
  chooseFigureKind,
  type FigureKind,
  type ReportColumn,
  type ReportList,
  readReport,
} from '../../../server/interfaces/reports/report-parts.ts'
import { toFieldLabel } from '../../../server/platform/values/field-words.ts'
import { Button } from '../../ui/button.tsx'
import { saveFile, toCsv } from '../../ui/csv.ts'
import { formatPercent, formatQuantity } from '../../ui/number-formats.ts'
import { KeyValues, Panel } from '../../ui/panel.tsx'
import { useQueryParam } from '../../ui/param-select.tsx'
import { findRecordKind, RecordName } from '../../ui/record-name.tsx'
import { type Column, EmptyCell, Table } from '../../ui/table.tsx'
import { formatCount } from '../../ui/text-formats.ts'
import { useFormats } from '../../ui/use-formats.ts'
import { Value, ValueTable } from '../../ui/value-table.tsx'
import { toFieldHint } from '../actions/action-words.ts'
import type { Values } from '../actions/entered-values.ts'
import type { InputSchema } from '../actions/input-schema.ts'
import { type Bar, BarList, MAX_BARS } from './bar-list.tsx'
import { CHART_PARAM } from './report-input.ts'

/** The maximum number of rows in each table. The CSV file of the table contains all rows. */
const MAX_ROWS = 300

/** Shows the result of a report: its totals, a chart of its first list, and a table for each list. */
export function ReportResult({ result, schema, name }: { result: Values; schema: InputSchema; name: string }) {
  const { time } = useFormats()
  const { figures, lists, unknown, isTruncated, asOf } = readReport(result, schema)
  return (
    <div className="stack">
      {isTruncated && (
        <p className="banner" data-tone="warn">
          The list is incomplete because it is too long. Totals cover only the rows that are shown. Narrow the report.
        </p>
      )}
      <Figures figures={figures} schema={schema} />
      {lists.map((list, at) => (
        <ListPanel key={list.name} list={list} report={name} hasChart={at === 0} />
      ))}
      {unknown.map((sentence) => (
        <p className="hint" key={sentence}>
          {sentence}
        </p>
      ))}
      {asOf !== null && <p className="hint">Calculated {time(asOf)}.</p>}
    </div>
  )
}

/** The maximum number of totals that are shown in large type. */
const MAX_FACTS = 12

function Figures({ figures, schema }: { figures: Values; schema: InputSchema }) {
  const write = useFigureWriter()
  const facts = Object.entries(figures).filter(([, value]) => typeof value === 'number')
  const simple = facts.slice(0, MAX_FACTS)
  const shown = new Set(simple.map(([field]) => field))
  const rest = Object.fromEntries(
    Object.entries(figures).filter(([field, value]) => !shown.has(field) && value !== null),
  )
  return (
    <>
      {simple.length > 0 && (
        <Panel title="Summary">
          <KeyValues
            facts={simple.map(([field, value]) => [
              toFieldLabel(field),
              <Figure
                key={field}
                said={write(value, chooseFigureKind(field, schema.properties?.[field]))}
                hint={toFieldHint(schema.properties?.[field]?.description)}
              />,
            ])}
          />
        </Panel>
      )}
      {Object.keys(rest).length > 0 && (
        <Panel title={simple.length > 0 ? 'Details' : 'Result'} isFlush>
          <ValueTable caption="Details" of={rest} />
        </Panel>
      )}
    </>
  )
}

function Figure({ said, hint }: { said: string; hint: string | undefined }) {
  return (
    <>
      {said} {hint !== undefined && <span className="faint">{hint}</span>}
    </>
  )
}

function ListPanel({ list, report, hasChart }: { list: ReportList; report: string; hasChart: boolean }) {
  const write = useFigureWriter()
  const { title, rows, columns } = list
  const save = () => {
    const cells = rows.map((row) => columns.map(({ name }) => toCsvCell(row[name])))
    const heads = columns.map(({ name }) => toFieldLabel(name))
    saveFile(toCsv(heads, cells), `${report}-${list.name.replace('.', '-')}.csv`)
  }
  const shown: readonly Column<Values>[] = columns.map((column) => ({
    head: toFieldLabel(column.name),
    numeric: column.kind !== 'text',
    cell: (row) => <Cell row={row} column={column} write={write} />,
  }))
  return (
    <Panel
      title={title}
      hint={formatCount(rows.length, 'row')}
      isFlush
      actions={
        rows.length > 0 && (
          <Button small look="quiet" icon="download" onClick={save}>
            Export
          </Button>
        )
      }
      {...(rows.length > MAX_ROWS && {
        foot: `The table shows only the first ${MAX_ROWS} rows. The export contains all rows.`,
      })}
    >
      {rows.length === 0 ? (
        <p className="body hint">There are none.</p>
      ) : (
        <>
          {hasChart && <ListChart list={list} />}
          <div className="table-wrap">
            <Table
              caption={title}
              columns={shown}
              rows={rows.slice(0, MAX_ROWS)}
              keyOf={(row) => String(rows.indexOf(row))}
            />
          </div>
        </>
      )}
    </Panel>
  )
}

/** Shows a chart of a column that the user chooses. */
function ListChart({ list }: { list: ReportList }) {
  const write = useFigureWriter()
  const [query] = useSearchParams()
  const choose = useQueryParam(CHART_PARAM)
  const { rows, columns } = list
  const [nameColumn] = columns
  const numbers = columns.filter(({ kind }) => kind !== 'text')
  const preferred = numbers.find(({ name }) => name === 'balance') ?? numbers.find(({ kind }) => kind === 'money')
  const column = numbers.find(({ name }) => name === query.get(CHART_PARAM)) ?? preferred ?? numbers[0]
  if (nameColumn === undefined || column === undefined || rows.length < 2) return null
  const bars = rows.slice(0, MAX_BARS).map(
    (row, at): Bar => ({
      key: String(at),
      name: write(row[nameColumn.name], nameColumn.kind),
      value: typeof row[column.name] === 'number' ? Number(row[column.name]) : 0,
      said: write(row[column.name], column.kind),
    }),
  )
  return (
    <div className="body">
      <label className="row no-print chart-choice">
        Chart
        <select className="input" value={column.name} onChange={(event) => choose(event.target.value)}>
          {numbers.map(({ name }) => (
            <option key={name} value={name}>
              {toFieldLabel(name)}
            </option>
          ))}
        </select>
      </label>
      <BarList
        caption={`Chart: ${list.title}, ${toFieldLabel(column.name).toLowerCase()}`}
        nameHead={toFieldLabel(nameColumn.name)}
        valueHead={toFieldLabel(column.name)}
        bars={bars}
      />
    </div>
  )
}

function Cell(props: { row: Values; column: ReportColumn; write: (value: unknown, kind: FigureKind) => string }) {
  const { row, column, write } = props
  const value = row[column.name]
  if (value === null || value === undefined) return <EmptyCell />
  const id = row[`${column.name}Id`]
  const kind = typeof id === 'string' ? findRecordKind(id) : undefined
  if (kind !== undefined && typeof id === 'string') return <RecordName of={kind} id={id} />
  return column.kind === 'text' ? <Value of={value} /> : <span className="num">{write(value, column.kind)}</span>
}

/** Returns a function that formats a value of a report. */
function useFigureWriter(): (value: unknown, kind: FigureKind) => string {
  const { cents, day } = useFormats()
  return (value, kind) => {
    if (value === null || value === undefined) return 'none'
    if (typeof value !== 'number') return /^\d{4}-\d{2}-\d{2}$/.test(String(value)) ? day(String(value)) : String(value)
    if (kind === 'money') return cents(value)
    return kind === 'percent' ? formatPercent(value) : formatQuantity(value)
  }
}

function toCsvCell(value: unknown): string | number | null {
  if (value === null || value === undefined) return null
  if (typeof value === 'number') return value
  return Array.isArray(value) ? value.join('; ') : String(value)
}
