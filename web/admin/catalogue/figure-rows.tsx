import { useMemo, useState } from 'react'
import type { Figure } from '../../../client/contract.gen.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { FieldErrorAt, readNumberField, readTextField, TextField } from '../../ui/form.tsx'
import { formatQuantity } from '../../ui/number-formats.ts'
import type { FormEntries } from '../../ui/use-form-draft.ts'

/** The contract allows this number of figures. */
const MAX_FIGURES = 100

/** One row of the form. The controls of the row contain what the user typed. */
export interface FigureRow extends Partial<Figure> {
  key: string
}

/** Returns the rows of the form for figures, and the entries for its draft. */
export function useFigureRows(figures: readonly Figure[]): {
  rows: readonly FigureRow[]
  setRows(rows: readonly FigureRow[]): void
  entries: FormEntries<readonly FigureRow[]>
} {
  const [initial] = useState<readonly FigureRow[]>(() => figures.map((figure) => ({ ...figure, key: figure.name })))
  const [rows, setRows] = useState(initial)
  const entries = useMemo(() => ({ current: rows, isChanged: rows !== initial, restore: setRows }), [rows, initial])
  return { rows, setRows, entries }
}

/** Edits named numbers that formulas of takeoffs can use. `pointer` is the path of the list in the request. */
export function FigureRows(props: {
  rows: readonly FigureRow[]
  pointer: string
  empty: string
  onChange(rows: readonly FigureRow[]): void
}) {
  const { rows, pointer, empty, onChange } = props
  return (
    <>
      {rows.length === 0 ? <p className="muted">{empty}</p> : null}
      {rows.map((row, at) => (
        <fieldset key={row.key} className="figure-row">
          <legend className="sr">Figure {at + 1}</legend>
          <TextField
            name={`name-${row.key}`}
            label="Name"
            pointer={`${pointer}/${at}/name`}
            defaultValue={row.name ?? ''}
            placeholder="roofSquares"
            autoFocus={row.name === undefined}
          />
          <TextField
            name={`value-${row.key}`}
            label="Value"
            pointer={`${pointer}/${at}/value`}
            defaultValue={row.value ?? ''}
          />
          <IconButton
            icon="x"
            label={`Remove figure ${at + 1}`}
            look="quiet"
            onClick={() => onChange(rows.filter(({ key }) => key !== row.key))}
          />
        </fieldset>
      ))}
      <FieldErrorAt pointer={pointer} />
      <div className="row">
        <Button
          small
          icon="plus"
          disabled={rows.length >= MAX_FIGURES}
          onClick={() => onChange([...rows, { key: crypto.randomUUID() }])}
        >
          Add figure
        </Button>
      </div>
    </>
  )
}

/** Shows named numbers side by side. A plan has dozens. */
export function FigureList({ figures }: { figures: readonly Figure[] }) {
  return (
    <dl className="figure-list">
      {figures.map(({ name, value }) => (
        <div key={name}>
          <dt>
            <code>{name}</code>
          </dt>
          <dd className="num">{formatQuantity(value)}</dd>
        </div>
      ))}
    </dl>
  )
}

/** Returns the figures in the form. The service rejects a figure without a name or value at its field. */
export function readFigures(form: FormData, rows: readonly FigureRow[]): Figure[] {
  return rows.map(({ key }) => ({
    name: readTextField(form, `name-${key}`) ?? '',
    // JSON has no NaN, so the service gets null and reports it at the field. Zero would be a value.
    value: readNumberField(form, `value-${key}`) ?? Number.NaN,
  }))
}
