import { parse } from 'csv-parse/sync'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildSite, type Site } from '../../../../test/support/site.ts'
import {
  type ServiceResponse,
  startTestPlumbline,
  type TestPlumbline,
} from '../../../../test/support/test-plumbline.ts'

let plumbline: TestPlumbline
let site: Site
beforeAll(async () => {
  plumbline = await startTestPlumbline()
  site = await buildSite(plumbline)
  for (const companyName of ['=HYPERLINK("http://evil.example.com")', 'Łódź "Roofing", LLC'])
    await plumbline.post('/api/ext/vendors', { companyName, phone: '+1 512 555 0100' }, { key: site.key })
})
afterAll(() => plumbline.stop())

type Body = ServiceResponse['body']
const csv = (query: string, key = site.key) => plumbline.get(`/api/ext/accounting/export.csv?${query}`, { key })
const rowsOf = (answer: ServiceResponse): Record<string, string>[] => parse(answer.body, { columns: true })
const listed = async (): Promise<Body[]> =>
  (await plumbline.get('/api/ext/vendors?limit=200&sort=createdAt', { key: site.key })).body.data

test('a CSV export contains no values that a spreadsheet runs as formulas', async () => {
  const answer = await csv('type=vendor')
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, expect.stringMatching(/^text\/csv/)])
  expect(answer.headers.get('content-disposition')).toContain('vendor.csv')
  const rows = rowsOf(answer)
  const vendors = await listed()
  expect(rows.map(({ id }) => id)).toEqual(vendors.map(({ id }) => id).sort())
  expect(rows[0]).not.toHaveProperty('contacts')
  const names = rows.map(({ companyName }) => companyName)
  expect(names).toEqual(
    expect.arrayContaining(['\'=HYPERLINK("http://evil.example.com")', 'Łódź "Roofing", LLC', 'Lone Star Framing LLC']),
  )
  expect(rows.map(({ phone }) => phone)).toContain("'+1 512 555 0100")
})

test('amounts in an export stay numbers, even if they are negative', async () => {
  const lines = [{ description: 'Damaged drywall', quantity: 1, unitPrice: -420.5 }]
  const body = { homeId: site.lot14, vendorId: site.loneStar, scope: 'framing', poType: 'backcharge', lines }
  const { body: order } = await plumbline.post('/api/ext/purchase-orders', body, { key: site.key })
  await plumbline.post(`/api/ext/purchase-orders/${order.id}/status`, { status: 'approved' }, { key: site.key })
  expect(rowsOf(await csv('type=po'))).toMatchObject([{ number: order.number, total: '-420.5' }])
})

test('each line of an NDJSON export is identical to the GET response of the record', async () => {
  const { status, body } = await plumbline.get('/api/ext/accounting/export.ndjson?type=home', { key: site.key })
  const homes = String(body)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect([status, homes.map(({ id }) => id)]).toEqual([200, [site.lot14, site.lot15].sort()])
  expect(homes[0]).toEqual((await plumbline.get(`/api/ext/homes/${homes[0].id}`, { key: site.key })).body)
})

test('a large export can be continued after its last record until the export is complete', async () => {
  const seen: string[] = []
  for (let afterId = ''; ; ) {
    const rows = rowsOf(await csv(`type=vendor&limit=2${afterId}`))
    expect(rows.length).toBeLessThanOrEqual(2)
    if (rows.length === 0) break
    seen.push(...rows.map(({ id }) => id ?? ''))
    afterId = `&afterId=${seen.at(-1)}`
  }
  expect(seen).toEqual((await listed()).map(({ id }) => id).sort())
})

test('an export requires the read permission for its type', async () => {
  const narrow = await plumbline.newKey(['payments:read'], site.organizationId)
  expect((await csv('type=vendor', narrow)).body).toMatchObject({ status: 403, permission: 'vendors:read' })
})

test('an export contains no records of another builder', async () => {
  const { key } = await plumbline.newBuilder()
  expect(rowsOf(await csv('type=vendor', key))).toEqual([])
})
