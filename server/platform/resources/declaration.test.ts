import { expect, test } from 'vitest'
import { records } from '../calls/records.gen.ts'
import { columns } from '../database/columns.gen.ts'
import { resolveColumns } from './declaration.ts'

/**
 * A slice declares its resource when it is loaded, so the startup also detects mistakes that the compiler was told to
 * ignore.
 */
const vendor = { schema: 'Vendor', table: 'vendors' }

test('fields of a resource are in contract order, with hidden fields last', () => {
  const bid = { schema: 'Bid', table: 'bids', without: ['amountsHidden'] }
  const computed = { poIds: 'select 1', contractId: 'select 2' }
  const names = Object.keys(resolveColumns({ ...bid, stored: { amount: 'decimal', expiresAt: 'instant?' }, computed }))
  expect(names.slice(0, 2)).toEqual(['id', 'bidRequestId'])
  expect(names[names.indexOf('awardedLineIds') + 1]).toBe('poIds')
  expect(names.at(-1)).toBe('expiresAt')
})

test('an ID column is recognized by its key in the database, not by its name', () => {
  const found = resolveColumns({ schema: 'CostCode', table: 'costCodes' })
  expect(found).toMatchObject({ id: 'id', parentId: 'id?', accountingId: 'text?', externalId: 'text?', name: 'text' })
  expect(columns.vendors).toMatchObject({ id: 'id', accountingId: 'text?' })
})

test('every record type of the contract has a database table', () => {
  const missing = Object.values(records).filter(({ table }) => !(table in columns))
  expect(missing).toEqual([])
})

test('a declaration with an unknown record, table, or column is rejected', () => {
  expect(() => resolveColumns({ ...vendor, schema: 'Seller' })).toThrow('The contract has no record Seller.')
  expect(() => resolveColumns({ ...vendor, schema: 'constructor' })).toThrow('The contract has no record constructor.')
  expect(() => resolveColumns({ ...vendor, table: 'sellers' })).toThrow('The database has no table sellers.')
  expect(() => resolveColumns({ ...vendor, table: 'homes' })).toThrow('The database has no column homes.companyName')
  expect(() => resolveColumns({ ...vendor, stored: { rating: 'integer' } })).toThrow('no column vendors.rating')
})

test('a declared column is rejected if its type does not match the database', () => {
  const refusals = [
    [{ companyName: 'date' }, 'vendors.companyName is "text", which cannot store "date"'],
    [{ companyName: 'text?' }, 'vendors.companyName is "text", which cannot store "text?"'],
    [{ email: 'text' }, 'vendors.email is "text?", which cannot store "text"'],
    [{ poLimit: 'integer?' }, 'vendors.poLimit is "numeric?", which cannot store "integer?"'],
    [{ scopes: 'json' }, 'vendors.scopes is "text[]", which cannot store "json"'],
    [{ id: 'enum' }, 'vendors.id is "id", which cannot store "enum"'],
  ] as const
  for (const [stored, message] of refusals) expect(() => resolveColumns({ ...vendor, stored })).toThrow(message)
})
