import { expect, test } from 'vitest'
import { divideLedger, guessLedgerColumns, toLedgerRows } from '../../web/admin/accounting/ledger-file.ts'
import { readCsv } from '../../web/ui/read-csv.ts'

test('quoted cells of a CSV file keep separators, quotes, and line breaks', () => {
  const text = '\uFEFFid,name\r\nQB-1,"Lone Star, LLC"\r\nQB-2,"The ""best""\nframers"\r\n'
  expect(readCsv(text)).toEqual([
    ['id', 'name'],
    ['QB-1', 'Lone Star, LLC'],
    ['QB-2', 'The "best"\nframers'],
  ])
})

test('the first line of a CSV file determines the separator', () => {
  expect(readCsv('id;amount\nQB-1;1,50')).toEqual([
    ['id', 'amount'],
    ['QB-1', '1,50'],
  ])
  expect(readCsv('id\tname\nQB-1\tLot 7, Juniper')).toEqual([
    ['id', 'name'],
    ['QB-1', 'Lot 7, Juniper'],
  ])
})

test('empty lines of a CSV file are left out', () => {
  expect(readCsv('id\n\nQB-1\n,\n')).toEqual([['id'], ['QB-1']])
})

test('columns of an accounting file are found by their headings', () => {
  const heads = ['Date', 'Num', 'Vendor', 'Amount', 'Status']
  expect(guessLedgerColumns(heads)).toEqual({ accountingId: 1, name: 2, amount: 3, status: 4 })
  expect(guessLedgerColumns(['Date'])).toEqual({ accountingId: null, name: null, amount: null, status: null })
})

test('rows without an ID are left out, and unreadable amounts are named', () => {
  const columns = { accountingId: 0, name: null, amount: 1, status: 2 }
  const { rows, errors } = toLedgerRows(
    [
      ['QB-1', '$1,250.50', 'Voided'],
      ['', '9,000.00', ''],
      ['QB-2', '(75.00)', ''],
      ['QB-3', 'soon', ''],
    ],
    columns,
  )
  expect(rows).toEqual([
    { accountingId: 'QB-1', amount: 1250.5, status: 'void' },
    { accountingId: 'QB-2', amount: -75 },
  ])
  expect(errors).toHaveLength(1)
  expect(errors[0]).toMatch(/^Row 5: soon/)
})

test('a large ledger is divided by ID, and repeated IDs stay together', () => {
  const rows = ['d', 'a', 'b', 'b', 'c'].map((accountingId) => ({ accountingId }))
  const parts = divideLedger(rows, 2)
  expect(parts.map((part) => part.rows.map(({ accountingId }) => accountingId).join(''))).toEqual(['a', 'bb', 'cd'])
  expect(parts.map(({ afterAccountingId, throughAccountingId }) => [afterAccountingId, throughAccountingId])).toEqual([
    [undefined, 'a'],
    ['a', 'b'],
    ['b', undefined],
  ])
  expect(divideLedger([], 2)).toEqual([{ rows: [] }])
})
