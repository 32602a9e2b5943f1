import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestPlumbline, type TestPlumbline } from '../../../../test/support/test-plumbline.ts'

const VENDORS = '/api/ext/vendors'

let plumbline: TestPlumbline
beforeAll(async () => {
  plumbline = await startTestPlumbline()
})
afterAll(() => plumbline.stop())

const change = (id: string, fields: object) => plumbline.patch(`${VENDORS}/${id}`, fields)

async function getSealed(id: string): Promise<string | null> {
  const { rows } = await sql<{ sealed: string | null }>`
    select "sealedTaxId" as "sealed" from "vendors" where "id" = ${id}`.execute(plumbline.database.statements)
  return rows[0]?.sealed ?? null
}

test('only the last characters of a tax ID are stored without encryption', async () => {
  const { status, body: vendor } = await plumbline.post(VENDORS, {
    companyName: 'Brazos Framing',
    taxId: '12-345 482a',
  })
  expect([status, vendor.taxIdLast4, vendor.is1099, vendor.version]).toEqual([201, '482a', true, 1])
  const events = `/api/ext/events?type=vendor.created&resourceId=${vendor.id}`
  const { body } = await plumbline.until(events, ({ body }) => body.data.length === 1)
  for (const reported of [vendor, (await plumbline.get(`${VENDORS}/${vendor.id}`)).body, body.data[0]])
    expect(JSON.stringify(reported)).not.toMatch(/345|sealed|"taxId"/)
  expect(await getSealed(vendor.id)).toMatch(/^v2\./)
})

test('an update that omits the tax ID keeps the tax ID', async () => {
  const { id } = (await plumbline.post(VENDORS, { companyName: 'Brazos Framing' })).body
  expect([(await plumbline.get(`${VENDORS}/${id}`)).body.taxIdLast4, await getSealed(id)]).toEqual([null, null])
  const named = (await change(id, { taxId: '123-45-6789' })).body
  expect([named.taxIdLast4, named.version]).toEqual(['6789', 2])
  const sealed = await getSealed(id)
  expect((await change(id, { taxId: '123-45-6789', phone: null })).body.version).toBe(2)
  expect(await getSealed(id)).toBe(sealed)
  // This is a different tax ID with the same ending.
  const other = (await change(id, { taxId: '987-65-6789' })).body
  expect([other.taxIdLast4, other.version]).toEqual(['6789', 3])
  expect(await getSealed(id)).not.toBe(sealed)
  expect((await change(id, { is1099: false })).body).toMatchObject({ is1099: false, taxIdLast4: '6789', version: 4 })
  expect((await change(id, { taxId: null })).body).toMatchObject({ taxIdLast4: null, version: 5 })
  expect(await getSealed(id)).toBe(null)
})

test('a tax ID with fewer than 8 or more than 20 letters and digits is rejected', async () => {
  for (const taxId of ['1234567', '1-2-3-4-5-6-7', '--------', '1'.repeat(21)])
    expect((await plumbline.post(VENDORS, { companyName: 'A', taxId })).body.errors).toEqual([
      { pointer: '/taxId', code: 'pattern', message: 'must have 8 to 20 letters and digits, like 12-3456789' },
    ])
})
