import type { ClipboardEvent, ReactNode } from 'react'
import { toFieldLabel } from '../../../server/platform/values/field-words.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { FieldErrorAt } from '../../ui/form.tsx'
import { formatCount } from '../../ui/text-formats.ts'
import type { Values } from './entered-values.ts'
import { chooseControl, type InputSchema } from './input-schema.ts'
import { parseNumberInput, ValueControl } from './value-control.tsx'

/** The maximum number of rows on the page. More rows would make the page slow. The API accepts more. */
const MAX_SHOWN = 300
/**
 * The kinds of values that fit into a table cell. Rows with other kinds of values are shown as forms, one below the
 * other.
 */
const CELL_KINDS: ReadonlySet<string> = new Set([
  'text',
  'paragraph',
  'number',
  'date',
  'time',
  'switch',
  'choice',
  'record',
])

/**
 * Lets the user edit a list of objects, either in a grid, into which cells from a spreadsheet can be pasted, or in a
 * form for each row.
 */
export function RowsField(props: {
  name: string
  label: string
  hint: string | undefined
  pointer: string
  rows: readonly Values[]
  row: InputSchema
  onChange(rows: readonly Values[]): void
  /** Renders the form for a row that does not fit into a grid. */
  renderForm(values: Values, pointer: string, onChange: (values: Values) => void): ReactNode
}) {
  const { name, label, hint, pointer, rows, row, onChange, renderForm } = props
  const columns = Object.keys(row.properties ?? {})
  const isGrid = columns.every((column) => CELL_KINDS.has(chooseControl(column, row.properties?.[column] ?? {}).kind))
  const change = (at: number, values: Values) => onChange(rows.map((one, i) => (i === at ? values : one)))
  const remove = (at: number) => onChange(rows.filter((_, i) => i !== at))
  const shown = rows.slice(0, MAX_SHOWN)
  return (
    <fieldset className="group">
      <legend>
        {label} <span className="faint">{formatCount(rows.length, 'row')}</span>
      </legend>
      {hint !== undefined && <p className="hint">{hint}</p>}
      <FieldErrorAt pointer={pointer} />
      {isGrid ? (
        shown.length > 0 && (
          <div className="table-wrap">
            <Grid {...{ name, label, columns, rows: shown, row, change, remove }} onPaste={onChange} all={rows} />
          </div>
        )
      ) : (
        <ol className="row-forms">
          {shown.map((values, at) => (
            <li key={at} className="row-form">
              <div className="fields">{renderForm(values, `${pointer}/${at}`, (changed) => change(at, changed))}</div>
              <IconButton icon="x" label={`Remove row ${at + 1}`} look="quiet" small onClick={() => remove(at)} />
            </li>
          ))}
        </ol>
      )}
      {rows.length > shown.length && (
        <p className="muted">{formatCount(rows.length - shown.length, 'further row')} will not change.</p>
      )}
      <div className="row wrap">
        <Button small icon="plus" onClick={() => onChange([...rows, {}])}>
          Add row
        </Button>
        {isGrid && <span className="faint">You can paste cells from a spreadsheet.</span>}
      </div>
    </fieldset>
  )
}

function Grid(props: {
  name: string
  label: string
  columns: readonly string[]
  rows: readonly Values[]
  all: readonly Values[]
  row: InputSchema
  change(at: number, values: Values): void
  remove(at: number): void
  onPaste(rows: readonly Values[]): void
}) {
  const { name, label, columns, rows, all, row, change, remove, onPaste } = props
  const required = row.required ?? []
  const paste = (event: ClipboardEvent, at: number, column: number) => {
    const cells = toCells(event.clipboardData.getData('text/plain'))
    // A single value is pasted into its field without special treatment.
    if (cells.length < 2 && (cells[0]?.length ?? 0) < 2) return
    event.preventDefault()
    onPaste(fillIn(all, cells, { at, column, columns, row }))
  }
  return (
    <table className="table grid">
      <caption className="sr">{label}</caption>
      <thead>
        <tr>
          {columns.map((column) => (
            <th scope="col" key={column}>
              {toFieldLabel(column)} {!required.includes(column) && <span className="sr">optional</span>}
            </th>
          ))}
          <td />
        </tr>
      </thead>
      <tbody>
        {rows.map((values, at) => (
          <tr key={at}>
            {columns.map((column, place) => (
              <td key={column} data-label={toFieldLabel(column)} onPaste={(event) => paste(event, at, place)}>
                <ValueControl
                  attributes={{
                    id: `${name}-${at}-${column}`,
                    name: `${name}/${at}/${column}`,
                    'aria-label': `${toFieldLabel(column)}, row ${at + 1}`,
                    'aria-invalid': undefined,
                    'aria-describedby': undefined,
                  }}
                  name={column}
                  schema={row.properties?.[column] ?? {}}
                  isRequired={required.includes(column)}
                  isCell
                  value={values[column]}
                  onChange={(value) => change(at, { ...values, [column]: value })}
                />
              </td>
            ))}
            <td>
              <IconButton icon="x" label={`Remove row ${at + 1}`} look="quiet" small onClick={() => remove(at)} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** Splits text that was copied from a spreadsheet into cells. */
function toCells(text: string): string[][] {
  const lines = text.replace(/\r?\n$/, '').split(/\r?\n/)
  return lines.map((line) => line.split('\t').map((cell) => cell.trim()))
}

interface PastePlace {
  at: number
  column: number
  columns: readonly string[]
  row: InputSchema
}

/** Writes cells into the rows, starting at a given position. Adds rows if needed. */
function fillIn(
  rows: readonly Values[],
  cells: readonly (readonly string[])[],
  { at, column, columns, row }: PastePlace,
): Values[] {
  const filled: Values[] = [...rows]
  for (const [i, line] of cells.entries()) {
    const values = Object.fromEntries(
      line.flatMap((cell, j) => {
        const name = columns[column + j]
        return name === undefined ? [] : [[name, readCell(cell, name, row.properties?.[name] ?? {})]]
      }),
    )
    filled[at + i] = { ...filled[at + i], ...values }
  }
  return filled
}

function readCell(cell: string, name: string, schema: InputSchema): unknown {
  if (cell === '') return undefined
  const control = chooseControl(name, schema)
  if (control.kind === 'number') return parseNumberInput(cell, undefined)
  if (control.kind === 'switch') return /^(y|yes|true|1)$/i.test(cell)
  if (control.kind === 'choice') {
    const wanted = cell.toLowerCase().replaceAll(/[\s-]+/g, '_')
    return control.options.find((option) => option.toLowerCase() === wanted) ?? cell
  }
  return cell
}
