import { expect, test } from 'vitest'
import { records } from '../calls/records.gen.ts'
import { columns } from '../database/columns.gen.ts'
import { resolveColumns } from './declaration.ts'

/**
 * Mistakes that the compiler was told to ignore are detected at startup, because every slice declares its resource when
 * it is loaded.
 */
const vendor = { schema: 'Vendor', table: 'vendors' }

test('fields are in the order of the contract, including computed ones, and hidden ones are last', () => {
  const bid = { schema: 'Bid', table: 'bids', without: ['amountsHidden'] }
  const computed = { poIds: 'select 1', contractId: 'select 2' }
  const names = Object.keys(resolveColumns({ ...bid, stored: { amount: 'decimal', expiresAt: 'instant?' }, computed }))
  expect(names.slice(0, 2)).toEqual(['id', 'bidRequestId'])
  expect(names[names.indexOf('awardedLineIds') + 1]).toBe('poIds')
  expect(names.at(-1)).toBe('expiresAt')
})

test('an ID is a primary or foreign key in the database, whatever the name of the field', () => {
  const found = resolveColumns({ schema: 'CostCode', table: 'costCodes' })
  expect(found).toMatchObject({ id: 'id', parentId: 'id?', accountingId: 'text?', externalId: 'text?', name: 'text' })
  expect(columns.vendors).toMatchObject({ id: 'id', accountingId: 'text?' })
})

test('every record of the contract is stored in a table of the database', () => {
  const missing = Object.values(records).filter(({ table }) => !(table in columns))
  expect(missing).toEqual([])
})

test('an unknown record, table, or column is rejected', () => {
  expect(() => resolveColumns({ ...vendor, schema: 'Seller' })).toThrow('The contract has no record Seller.')
  expect(() => resolveColumns({ ...vendor, schema: 'constructor' })).toThrow('The contract has no record constructor.')
  expect(() => resolveColumns({ ...vendor, table: 'sellers' })).toThrow('The database has no table sellers.')
  expect(() => resolveColumns({ ...vendor, table: 'homes' })).toThrow('The database has no column homes.companyName')
  expect(() => resolveColumns({ ...vendor, stored: { rating: 'integer' } })).toThrow('no column vendors.rating')
})

test('a column of the wrong type, or a nullable one for a required field, is rejected', () => {
  const refusals = [
    [{ companyName: 'date' }, 'vendors.companyName is "text", which does not hold "date"'],
    [{ companyName: 'text?' }, 'vendors.companyName is "text", which does not hold "text?"'],
    [{ email: 'text' }, 'vendors.email is "text?", which does not hold "text"'],
    [{ poLimit: 'integer?' }, 'vendors.poLimit is "numeric?", which does not hold "integer?"'],
    [{ scopes: 'json' }, 'vendors.scopes is "text[]", which does not hold "json"'],
    [{ id: 'enum' }, 'vendors.id is "id", which does not hold "enum"'],
  ] as const
  for (const [stored, message] of refusals) expect(() => resolveColumns({ ...vendor, stored })).toThrow(message)
})
