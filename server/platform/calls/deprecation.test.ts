import { afterAll, beforeAll, expect, test } from 'vitest'
import { document } from '../../../scripts/conformance/walked-contract.ts'
import { startTestPlumbline, type TestPlumbline } from '../../../test/support/test-plumbline.ts'
import { type ContractDocument, readContract } from './contract.ts'

let plumbline: TestPlumbline

// Creates a contract with two deprecated operations, one of which a release has announced as deprecated.
beforeAll(async () => {
  const changing = structuredClone(document) as ContractDocument & { 'x-changelog': object[] }
  const [vendors, scopes] = [changing.paths['/api/ext/vendors']?.get, changing.paths['/api/ext/scopes']?.get]
  for (const operation of [vendors, scopes])
    Object.assign(operation ?? {}, { deprecated: true, 'x-sunset': '2027-06-30' })
  const change = { kind: 'deprecated', description: 'Use the directory.', operations: ['listVendors'] }
  changing['x-changelog'] = [
    { version: '1.2.0', date: '2026-12-24', changes: [] },
    { version: '1.1.0', date: '2026-12-01', changes: [change] },
  ]
  changing.info.version = '1.2.0'
  plumbline = await startTestPlumbline({}, { contract: readContract(changing) })
})
afterAll(() => plumbline.stop())

test('the headers of a deprecated operation contain the deprecation date, the sunset date, and a link to the changelog', async () => {
  const { status, headers } = await plumbline.get('/api/ext/vendors')
  expect(status).toBe(200)
  expect(headers.get('deprecation')).toBe(`@${Date.UTC(2026, 11, 1) / 1000}`)
  expect(headers.get('sunset')).toBe('Wed, 30 Jun 2027 00:00:00 GMT')
  expect(headers.get('link')).toBe('</docs/changelog>; rel="deprecation"; type="text/html"')
  expect(headers.get('api-version')).toBe('1.2.0')
})

test('a deprecated operation without an announcement is deprecated since the latest release', async () => {
  const { headers } = await plumbline.get('/api/ext/scopes')
  expect(headers.get('deprecation')).toBe(`@${Date.UTC(2026, 11, 24) / 1000}`)
})

test('errors of a deprecated operation also have the deprecation headers', async () => {
  const { status, headers } = await plumbline.get('/api/ext/vendors?limit=0')
  expect(status).toBe(422)
  expect(headers.get('sunset')).toBe('Wed, 30 Jun 2027 00:00:00 GMT')
})

test('a list of a deprecated operation keeps its link to the next page', async () => {
  for (const companyName of ['Lone Star Framing LLC', 'Hill Country Framers']) {
    expect((await plumbline.post('/api/ext/vendors', { companyName })).status).toBe(201)
  }
  const { headers } = await plumbline.get('/api/ext/vendors?limit=1')
  expect(headers.get('link')).toMatch(/^<\/api\/ext\/vendors\?.*>; rel="next", <\/docs\/changelog>; rel="deprecation"/)
})

test('an operation that is not deprecated has no deprecation headers', async () => {
  const { headers } = await plumbline.post('/api/ext/vendors', { companyName: 'Summit Electric Co.' })
  for (const name of ['deprecation', 'sunset', 'link']) expect(headers.get(name)).toBeNull()
})

test("any valid key can read the contract's changelog", async () => {
  const { status, body, headers } = await plumbline.get('/api/ext/changelog', { key: await plumbline.newKey([]) })
  expect(status).toBe(200)
  expect(body.data.map(({ version }: { version: string }) => version)).toEqual(['1.2.0', '1.1.0'])
  const again = await plumbline.get('/api/ext/changelog', { headers: { 'if-none-match': headers.get('etag') ?? '' } })
  expect(again.status).toBe(304)
  expect((await plumbline.get('/api/ext/changelog', { key: null })).status).toBe(401)
})
