import { readFile as readBytes } from 'node:fs/promises'
import { cleanFileName } from '../../domain/attachments/file-name.ts'
import type { Call } from '../../platform/calls/call.ts'
import type { Input } from '../../platform/calls/operation.ts'
import { validationFailed } from '../../platform/problems/problem.ts'
import { IMPORT_KINDS } from './kinds/import-kinds.ts'
import * as imports from './queries.ts'
import { parseImportFile } from './reading/parse-import-file.ts'
import { listSecretColumns, sealCells } from './seal-cells.ts'
import { type EarlierColumns, listQuestions, understandTable } from './understanding/understand-table.ts'

type Upload = Input<'uploadImport'>

/** Reads a file and stores its rows and its detected format. */
export async function receiveImportFile(
  call: Call,
  query: Upload['query'],
  body: Upload['body'],
): Promise<imports.StoredImport> {
  const bytes = 'path' in body ? await readBytes(body.path) : decodeContent(body.content)
  const definition = IMPORT_KINDS[query.kind]
  const { table, ...read } = await parseImportFile(bytes, query)
  const findEarlier = (signature: string): Promise<EarlierColumns | null> => imports.findEarlierColumns(call, signature)
  const understood = await understandTable(table, definition, query.headerLine, findEarlier)
  const { layout, headerLine, signature, columns, rows, lines } = understood
  const cellsOf = (column: number) => rows.map((cells) => cells[column] ?? null)
  const secret = listSecretColumns(columns, definition)
  return call.write(async (call) => {
    const created = await imports.insert(call, {
      ...{ ...read, sheets: [...read.sheets] },
      ...{ kind: query.kind, status: 'ready' as const, fileName: cleanFileName(query.fileName), layout, headerLine },
      ...{ signature, columns: columns.map(({ isConfirmed: _, ...column }) => column), fixedValues: [] },
      confirmed: columns.flatMap(({ column, isConfirmed }) => (isConfirmed ? [column] : [])),
      questions: listQuestions(columns, [], cellsOf, definition),
      ...{ permissions: [], rowCount: rows.length, doneCount: 0, created: 0, updated: 0, unchanged: 0, failed: 0 },
      ...{ skipped: 0, undecided: 0, undone: 0 },
    })
    const stored = rows.map((cells, i) => ({ line: lines[i] ?? 1, cells: sealCells(call, created.id, cells, secret) }))
    await imports.insertRows(call, created.id, stored)
    return created
  })
}

function decodeContent(content: string): Buffer {
  if (content.length % 4 !== 0)
    throw validationFailed([{ pointer: '/content', code: 'pattern', message: 'must be base64 with padding' }])
  return Buffer.from(content, 'base64')
}
