import { stringify } from 'csv-stringify/sync'
import type { ImportRow } from '../../../client/contract.gen.ts'
import { createFileResponse } from '../../platform/calls/file-response.ts'
import type { Handlers } from '../../platform/calls/operation.ts'
import { conflict } from '../../platform/problems/problem.ts'
import { CSV_FORM_FOR_PEOPLE } from '../../platform/values/csv-form.ts'
import { assertImportIdle, assertRowsImportable, changeImport } from './change-import.ts'
import { assertCanImport, IMPORT_KINDS, listPermittedKinds, toKindInfo } from './kinds/import-kinds.ts'
import * as imports from './queries.ts'
import { MAX_ROWS } from './reading/table.ts'
import { receiveImportFile } from './receive-import-file.ts'
import { formatCell } from './seal-cells.ts'

export const importOperations = {
  async getImportKinds(_input, call) {
    return { status: 200, body: { kinds: listPermittedKinds(call).map(toKindInfo) } }
  },

  async listImports({ query }, call) {
    const kinds = listPermittedKinds(call).map(({ kind }) => kind)
    const { kind } = query
    if (kinds.length === 0 || (kind !== undefined && !kinds.includes(kind)))
      return { status: 200, body: { data: [], nextCursor: null } }
    const permitted = { kinds }
    const { data, nextCursor } = (await imports.list(call, { ...query, ...permitted })).value
    return { status: 200, body: { data: data.map(imports.toImport), nextCursor } }
  },

  async uploadImport({ query, body }, call) {
    assertCanImport(call, query.kind)
    return { status: 201, body: imports.toImport(await receiveImportFile(call, query, body)) }
  },

  async getImport({ path }, call) {
    const found = await imports.find(call, path.importId)
    assertCanImport(call, found.kind)
    return { status: 200, body: imports.toImport(found) }
  },

  async updateImport({ path, body, ifMatch }, call) {
    const updated = await call.write(async (call) => {
      const before = await imports.lock(call, path.importId)
      assertCanImport(call, before.kind)
      return changeImport(call, before, body, ifMatch)
    })
    return { status: 200, body: imports.toImport(updated) }
  },

  async startImport({ path, body }, call) {
    const started = await call.write(async (call) => {
      const before = await imports.lock(call, path.importId)
      assertCanImport(call, before.kind)
      assertImportIdle(before, 'start')
      if (!body.dryRun) assertRowsImportable(before)
      await imports.resetRows(call, before.id)
      return imports.update(call, before, {
        status: body.dryRun ? 'checking' : 'importing',
        ...{ doneCount: 0, created: 0, updated: 0, unchanged: 0, failed: 0, skipped: 0, undecided: 0 },
        ...{ permissions: [...call.permissions], startedBy: call.actor },
        ...{ startedAt: call.now.toISOString(), finishedAt: null },
      })
    })
    return { status: 200, body: imports.toImport(started) }
  },

  async undoImport({ path }, call) {
    const undoing = await call.write(async (call) => {
      const before = await imports.lock(call, path.importId)
      assertCanImport(call, before.kind)
      if (before.status !== 'imported')
        throw conflict('wrong_status', `Cannot undo the import of ${before.fileName}: it is ${before.status}.`)
      if (!(await imports.hasRows(call, before.id)))
        throw conflict('missing_data', `Cannot undo the import of ${before.fileName}: its rows have been deleted.`)
      return imports.update(call, before, {
        ...{ status: 'undoing', doneCount: 0, undone: 0 },
        ...{ permissions: [...call.permissions], startedBy: call.actor },
        ...{ startedAt: call.now.toISOString(), finishedAt: null },
      })
    })
    return { status: 200, body: imports.toImport(undoing) }
  },

  async getImportRows({ path, query }, call) {
    const { id, kind } = await imports.find(call, path.importId)
    assertCanImport(call, kind)
    const { status, afterRow, limit } = query
    const found = await imports.listRows(call, id, {
      ...{ afterRow, limit: limit + 1 },
      ...(status !== undefined && { statuses: [status] }),
    })
    const rows = found.slice(0, limit).map(toImportRow)
    return {
      status: 200,
      body: { importId: id, rows, lastRow: found.length > limit ? (rows.at(-1)?.row ?? null) : null },
    }
  },

  async getImportErrors({ path }, call) {
    const { id, kind, fileName, columns } = await imports.find(call, path.importId)
    assertCanImport(call, kind)
    const rows = await imports.listRows(call, id, { limit: MAX_ROWS, statuses: ['failed'] })
    const { fields } = IMPORT_KINDS[kind]
    const labelOf = (field: string) => (Object.hasOwn(fields, field) ? (fields[field]?.label ?? field) : field)
    const lines = rows.map(({ cells, problem }) => [
      ...columns.map((_, column) => formatCell(cells[column] ?? null)),
      describeProblem(problem, labelOf),
    ])
    const text = stringify([[...columns.map(({ head }) => head), 'Errors'], ...lines], CSV_FORM_FOR_PEOPLE)
    const name = fileName.replace(/\.[^.]*$/, '')
    return { status: 200, body: createFileResponse(`${name} errors.csv`, 'text/csv', Buffer.from(text)) }
  },
} satisfies Partial<Handlers>

function toImportRow(row: imports.StoredRow): ImportRow {
  const { line, status, cells, recordId, problem, possibleDuplicates, decision } = row
  return { row: row.row, line, status, cells: cells.map(formatCell), recordId, problem, possibleDuplicates, decision }
}

function describeProblem(problem: ImportRow['problem'], labelOf: (field: string) => string): string {
  if (problem === null) return ''
  if (problem.errors.length === 0) return problem.detail
  return problem.errors
    .map(({ pointer, message }) => {
      const field = pointer.replace(/^\/?(input\/)?/, '').replaceAll('/', '.')
      return `${labelOf(field)} ${message}`.trim()
    })
    .join('; ')
}
