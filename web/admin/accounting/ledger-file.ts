import type { LedgerRow } from '../../../client/contract.gen.ts'
import { describeTypedNumberError, parseTypedNumber } from '../../../server/platform/values/typed-number.ts'

/** The columns of a file by their position; null if the file does not have the column. */
export interface LedgerColumns {
  accountingId: number | null
  name: number | null
  amount: number | null
  status: number | null
}

const HEADS: Readonly<Record<keyof LedgerColumns, RegExp>> = {
  accountingId:
    /^(accounting ?id|id|txn ?id|list ?id|(ref|reference)( ?(no|number))?|num|number|(doc|document) ?(no|number))\.?$/i,
  name: /^(name|full ?name|display ?name|company( ?name)?|vendor|payee|memo|description)$/i,
  amount: /^(amount|total|balance|debit|open ?balance)$/i,
  status: /^(status|state|void|voided)$/i,
}

/** Finds the columns of a file by their usual headings in accounting systems. */
export function guessLedgerColumns(heads: readonly string[]): LedgerColumns {
  const find = (column: keyof LedgerColumns) => {
    const at = heads.findIndex((head) => HEADS[column].test(head.trim()))
    return at === -1 ? null : at
  }
  return { accountingId: find('accountingId'), name: find('name'), amount: find('amount'), status: find('status') }
}

/** Words with which accounting systems mark an entry that no longer counts. */
const VOID_WORDS = /^(void|voided|deleted|inactive|canceled|cancelled|reversed|yes|true)$/i

/** The number of errors that the page names. More errors have the same cause. */
const MAX_ERRORS = 5

/** Converts the rows of a file, without its header, to rows of a ledger. Names the lines that cannot be read. */
export function toLedgerRows(
  rows: readonly (readonly string[])[],
  columns: LedgerColumns,
): { rows: LedgerRow[]; errors: string[] } {
  const read: LedgerRow[] = []
  const errors: string[] = []
  for (const [at, cells] of rows.entries()) {
    const cell = (column: number | null) => (column === null ? '' : (cells[column] ?? ''))
    const accountingId = cell(columns.accountingId)
    // Accounting systems end their reports with a line of totals.
    if (accountingId === '') continue
    const name = cell(columns.name)
    const { value: amount, error } = parseTypedNumber(cell(columns.amount))
    if (error !== null) {
      if (errors.length < MAX_ERRORS) errors.push(`Row ${at + 2}: ${error.typed} ${describeTypedNumberError(error)}.`)
      continue
    }
    read.push({
      accountingId,
      ...(name !== '' && { name }),
      ...(amount !== null && { amount }),
      ...(VOID_WORDS.test(cell(columns.status)) && { status: 'void' as const }),
    })
  }
  return { rows: read, errors }
}

/** A part of a ledger that one request compares, with the range of its IDs. */
export interface LedgerPart {
  rows: LedgerRow[]
  afterAccountingId?: string
  throughAccountingId?: string
}

/**
 * Divides a ledger into parts of at most `size` rows in the order of their IDs, so that each missing record is reported
 * once. Rows with the same ID stay together.
 */
export function divideLedger(rows: readonly LedgerRow[], size: number): LedgerPart[] {
  const sorted = rows.toSorted((a, b) => (a.accountingId < b.accountingId ? -1 : 1))
  const parts: LedgerPart[] = []
  for (let from = 0; from < sorted.length || parts.length === 0; ) {
    let to = Math.min(from + size, sorted.length)
    while (to < sorted.length && to > from + 1 && sorted[to]?.accountingId === sorted[to - 1]?.accountingId) to--
    const before = sorted[from - 1]?.accountingId
    const last = sorted[to - 1]?.accountingId
    parts.push({
      rows: sorted.slice(from, to),
      ...(from > 0 && before !== undefined && { afterAccountingId: before }),
      ...(to < sorted.length && last !== undefined && { throughAccountingId: last }),
    })
    from = to
  }
  return parts
}
