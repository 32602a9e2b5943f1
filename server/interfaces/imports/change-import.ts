import type { FieldError, ImportQuestion, ImportUpdate } from '../../../client/contract.gen.ts'
import type { WriteCall } from '../../platform/calls/call.ts'

import { conflict, validationFailed } from '../../platform/problems/problem.ts'
import { formatList } from '../../platform/values/format.ts'
import type { ImportKindDefinition } from './kinds/import-kind.ts'
import { IMPORT_KINDS } from './kinds/import-kinds.ts'
import * as imports from './queries.ts'
import type { Cell } from './reading/table.ts'
import { MAX_ROWS } from './reading/table.ts'
import { unsealCell } from './seal-cells.ts'
import { describeColumn, listQuestions, type UnderstoodColumn } from './understanding/understand-table.ts'

/** Changes how the service interprets the file of an import. The caller must have locked the import. */
export async function changeImport(
  call: WriteCall,
  before: imports.StoredImport,
  body: ImportUpdate,
  ifMatch: string | undefined,
): Promise<imports.StoredImport> {
  assertImportIdle(before, 'change')
  const definition = IMPORT_KINDS[before.kind]
  assertFieldsExist(before, definition, body)
  if (body.decisions !== undefined) await imports.storeDecisions(call, before.id, body.decisions)
  const duplicates = body.duplicates === undefined ? before.duplicates : body.duplicates
  if (body.columns === undefined && body.fixedValues === undefined)
    return imports.update(
      call,
      before,
      { duplicates, undecided: duplicates === null ? await imports.countOpenDecisions(call, before.id) : 0 },
      ifMatch,
    )
  const cells = await readCells(call, before)
  const cellsOf = (column: number): Cell[] => cells.map((row) => row[column] ?? null)
  const columns = applyColumns(before, definition, body.columns ?? [], cellsOf)
  const fixedValues = body.fixedValues ?? before.fixedValues
  const changes = {
    ...{ duplicates, fixedValues, columns: columns.map(({ isConfirmed: _, ...column }) => column) },
    confirmed: columns.flatMap(({ column, isConfirmed }) => (isConfirmed ? [column] : [])),
    questions: listQuestions(
      columns,
      fixedValues.map(({ field }) => field),
      cellsOf,
      definition,
    ),
  }
  // The change makes the results of an earlier preview invalid.
  return imports.update(call, before, { ...changes, status: 'ready' }, ifMatch)
}

/** Throws unless the import is ready or previewed, and no run is in progress. */
export function assertImportIdle({ status, fileName }: imports.StoredImport, verb: 'change' | 'start'): void {
  if (status === 'ready' || status === 'checked') return
  const detail =
    status === 'imported' || status === 'undone'
      ? `Cannot ${verb} the import of ${fileName}: it is ${status}. Upload the file again.`
      : `Cannot ${verb} the import of ${fileName} while it is ${status}. Wait until it has ended.`
  throw conflict(status === 'imported' || status === 'undone' ? 'wrong_status' : 'under_way', detail)
}

function assertFieldsExist(
  { columns, rowCount }: imports.StoredImport,
  { fields }: ImportKindDefinition,
  body: ImportUpdate,
): void {
  const known = (field: string | null | undefined) => field == null || Object.hasOwn(fields, field)
  const unknownField = `must be a field name from getImportKinds, such as ${formatList(Object.keys(fields).slice(0, 3), 'or')}`
  const errors: FieldError[] = [
    ...(body.columns ?? []).flatMap(({ column, field }, i) => [
      ...(column < columns.length
        ? []
        : [{ pointer: `/columns/${i}/column`, code: 'maximum', message: `must be at most ${columns.length - 1}` }]),
      ...(known(field) ? [] : [{ pointer: `/columns/${i}/field`, code: 'enum', message: unknownField }]),
    ]),
    ...(body.fixedValues ?? []).flatMap(({ field }, i) =>
      known(field) ? [] : [{ pointer: `/fixedValues/${i}/field`, code: 'enum', message: unknownField }],
    ),
    ...(body.decisions ?? []).flatMap(({ row }, i) =>
      row <= rowCount
        ? []
        : [{ pointer: `/decisions/${i}/row`, code: 'maximum', message: `must be at most ${rowCount}` }],
    ),
  ]
  if (errors.length > 0) throw validationFailed(errors)
}

async function readCells(call: WriteCall, { id }: imports.StoredImport): Promise<Cell[][]> {
  const rows = await imports.listRows(call, id, { limit: MAX_ROWS })
  return rows.map(({ cells }) => cells.map((cell) => unsealCell(call, id, cell)))
}

function applyColumns(
  { columns, confirmed }: imports.StoredImport,
  definition: ImportKindDefinition,
  changes: NonNullable<ImportUpdate['columns']>,
  cellsOf: (column: number) => Cell[],
): UnderstoodColumn[] {
  let current = columns.map(
    (column): UnderstoodColumn => ({ ...column, isConfirmed: confirmed.includes(column.column) }),
  )
  for (const { column, field, numberFormat, dateFormat } of changes) {
    current = current.map((each) => {
      if (each.column !== column)
        return field != null && each.field === field ? clearField(each, cellsOf, definition) : each
      const mapped = field === undefined ? each.field : field
      const recognizedBy = field === undefined ? each.recognizedBy : field === null ? null : ('person' as const)
      const isConfirmed =
        numberFormat !== undefined || dateFormat !== undefined || (field === undefined && each.isConfirmed)
      return describeColumn({ ...each, field: mapped, recognizedBy, isConfirmed }, cellsOf(column), definition, {
        numberFormat: numberFormat ?? (field === undefined ? each.numberFormat : null),
        dateFormat: dateFormat ?? (field === undefined ? each.dateFormat : null),
      })
    })
  }
  return current
}

function clearField(
  column: UnderstoodColumn,
  cellsOf: (column: number) => Cell[],
  definition: ImportKindDefinition,
): UnderstoodColumn {
  const cleared = { ...column, field: null, recognizedBy: null, isConfirmed: false }
  return describeColumn(cleared, cellsOf(column.column), definition, { numberFormat: null, dateFormat: null })
}

/**
 * Throws unless the rows can be saved: all questions are answered, the preview is complete, and no possible duplicate
 * is undecided.
 */
export function assertRowsImportable({ fileName, status, questions, undecided }: imports.StoredImport): void {
  if (questions.length > 0)
    throw conflict(
      'open_work',
      `Cannot import ${fileName}: it has unanswered questions. ${describeQuestions(questions)}`,
    )
  if (status !== 'checked')
    throw conflict('open_work', `Cannot import ${fileName} without a preview. Start a preview first.`)
  if (undecided > 0)
    throw conflict(
      'open_work',
      `Cannot import ${fileName}: ${undecided} rows have possible duplicates. Decide with updateImport whether to create, update, or skip these rows.`,
    )
}

function describeQuestions(questions: readonly ImportQuestion[]): string {
  return questions
    .slice(0, 3)
    .map(({ message }) => message)
    .join(' ')
}
