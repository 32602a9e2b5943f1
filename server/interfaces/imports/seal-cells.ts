import type { Call } from '../../platform/calls/call.ts'
import { createVault } from '../../platform/encryption/vault.ts'
import type { ImportKindDefinition } from './kinds/import-kind.ts'
import type { StoredCell } from './queries.ts'
import type { Cell } from './reading/table.ts'
import { maskSecret, type UnderstoodColumn } from './understanding/understand-table.ts'

/** Matches an EIN or a social security number, whichever field the column is imported into. */
const TAX_ID = /^(?:\d{2}-\d{7}|\d{3}-\d{2}-\d{4})$/

/**
 * Returns the cells of a row in their stored form. Tax IDs are encrypted, because they are often social security
 * numbers.
 */
export function sealCells(
  call: Call,
  importId: string,
  cells: readonly Cell[],
  secretColumns: ReadonlySet<number>,
): StoredCell[] {
  return cells.map((cell, column) => {
    const text = cell === null ? '' : String(cell)
    if (text === '' || !(secretColumns.has(column) || TAX_ID.test(text))) return cell
    const vault = createVault(call.services.config.encryptionKey)
    return { sealed: vault.seal(text, `${call.organizationId} ${importId}`), shown: maskSecret(text) }
  })
}

/** Returns the value of a stored cell. Returns null if the cell was encrypted with a key that no longer exists. */
export function unsealCell(call: Call, importId: string, cell: StoredCell | undefined): Cell {
  if (cell === undefined || cell === null || typeof cell !== 'object') return cell ?? null
  try {
    return createVault(call.services.config.encryptionKey).open(cell.sealed, `${call.organizationId} ${importId}`)
  } catch {
    return null
  }
}

/** Returns a stored cell in the form that users see. */
export function formatCell(cell: StoredCell): string {
  if (cell === null) return ''
  return typeof cell === 'object' ? cell.shown : String(cell)
}

export function listSecretColumns(
  columns: readonly UnderstoodColumn[],
  { fields }: ImportKindDefinition,
): ReadonlySet<number> {
  return new Set(
    columns.filter(({ field }) => field !== null && fields[field]?.isSecret === true).map(({ column }) => column),
  )
}
