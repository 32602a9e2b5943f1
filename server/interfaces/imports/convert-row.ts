import type { FieldError } from '../../../client/contract.gen.ts'
import type { Call } from '../../platform/calls/call.ts'
import { validationFailed } from '../../platform/problems/problem.ts'
import type { ImportKindDefinition, RowValues } from './kinds/import-kind.ts'
import type { StoredImport, StoredRow } from './queries.ts'
import { unsealCell } from './seal-cells.ts'
import { convertCell } from './understanding/convert-cell.ts'

/** Returns the values of a row by field. Throws `validation_failed` with the errors in all cells. */
export function convertRow(
  call: Call,
  { id, columns, fixedValues }: Pick<StoredImport, 'id' | 'columns' | 'fixedValues'>,
  { fields }: ImportKindDefinition,
  { cells }: Pick<StoredRow, 'cells'>,
): RowValues {
  const values: Record<string, unknown> = {}
  const errors: FieldError[] = []
  const add = (name: string, cell: string | number, formats: Parameters<typeof convertCell>[2]) => {
    const field = fields[name]
    if (field === undefined) return
    // The list of errors shows only the end of a tax ID. If a user imports this list, the tax ID is not changed.
    if (field.isSecret === true && String(cell).startsWith('\u2022')) return
    const { value, message } = convertCell(cell, field, formats)
    if (message === null) values[name] = value
    else
      errors.push({
        pointer: `/${name}`,
        code: 'type',
        message: `${message}; received "${String(cell).slice(0, 100)}"`,
      })
  }
  for (const { field, text } of fixedValues) add(field, text, { numberFormat: 'point', dateFormat: 'ymd' })
  for (const { column, field, numberFormat, dateFormat } of columns) {
    if (field === null) continue
    const stored = cells[column]
    const cell = unsealCell(call, id, stored)
    if (cell !== null) add(field, cell, { numberFormat, dateFormat })
    else if (stored !== null && stored !== undefined)
      errors.push({ pointer: `/${field}`, code: 'type', message: 'can no longer be read; upload the file again' })
  }
  if (errors.length > 0) throw validationFailed(errors)
  return values
}
