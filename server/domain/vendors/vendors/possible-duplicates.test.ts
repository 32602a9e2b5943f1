import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestPlumbline, type TestPlumbline } from '../../../../test/support/test-plumbline.ts'
import { renewDuplicateKeys } from './renew-duplicate-keys.ts'

let plumbline: TestPlumbline
beforeAll(async () => {
  plumbline = await startTestPlumbline()
})
afterAll(() => plumbline.stop())

test.each([
  ['Peña Brothers, LLC', 'PENA BROTHERS L.L.C.'],
  ['Smith & Sons', 'Smith and Sons Company, Inc.'],
  ['Łódź Masonry GmbH', 'lodz masonry'],
  ["O'Brien Roofing Co., Inc", 'OBrien Roofing'],
  ['Cafe\u0301 Millwork', 'Caf\u00e9 Millwork LLP'],
])('%s and %s are possible duplicates', async (first, second) => {
  const { body: vendor } = await plumbline.post('/api/ext/vendors', { companyName: first })
  const { body: again } = await plumbline.post('/api/ext/vendors', { companyName: second })
  expect(again.possibleDuplicates).toMatchObject([{ id: vendor.id, agreesIn: ['companyName'] }])
})

test.each([
  ['(512) 555-0142 ext. 12', '+1 512 555 0142'],
  ['512.555.0177 x3', '5125550177 #204'],
])('the phone numbers %s and %s are the same without their extensions', async (first, second) => {
  const { body: vendor } = await plumbline.post('/api/ext/vendors', { companyName: `First ${first}`, phone: first })
  const { body: again } = await plumbline.post('/api/ext/vendors', { companyName: `Other ${second}`, phone: second })
  expect(again.possibleDuplicates).toMatchObject([{ id: vendor.id, agreesIn: ['phone'] }])
})

test('vendors with partly equal names are not reported as possible duplicates', async () => {
  await plumbline.post('/api/ext/vendors', { companyName: 'Andover Framing' })
  const { body } = await plumbline.post('/api/ext/vendors', { companyName: 'Over Framing' })
  expect(body.possibleDuplicates).toEqual([])
})

test('the duplicate keys of vendors from an earlier version are computed again only once', async () => {
  await plumbline.post('/api/ext/vendors', { companyName: 'Peña & Sons' })
  const { statements } = plumbline.database
  await sql`update "vendors" set "hasOldKeys" = true where "companyName" = 'Peña & Sons'`.execute(statements)
  expect(await renewDuplicateKeys(plumbline.database)).toBe(1)
  expect(await renewDuplicateKeys(plumbline.database)).toBe(0)
})
